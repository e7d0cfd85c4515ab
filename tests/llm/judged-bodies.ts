/** The bodies that each wire makes of a request, and what the rules of its vendor say about them. */
import { anthropicWire } from '../../src/llm/anthropic/wire.ts';
import type { LlmRequest } from '../../src/llm/client.ts';
import { modelInfo } from '../../src/llm/models/models.ts';
import { openaiWire } from '../../src/llm/openai/wire.ts';
import { responsesWire } from '../../src/llm/responses/wire.ts';
import { toJson } from '../../src/llm/transport/to-json.ts';
import type { Wire } from '../../src/llm/wire/wire.ts';
import { refusalOf as anthropicRefusal } from '../support/model-server/anthropic-rules.ts';
import { refusalOf as openaiRefusal } from '../support/model-server/openai-rules.ts';
import { refusalOf as responsesRefusal } from '../support/model-server/responses-rules.ts';
import type { RecordedRequest } from '../support/model-server/server.ts';
import { requestOf, TOOL } from './llm-call.ts';

type Json = Record<string, unknown>;

const options = { provider: 'p', host: 'localhost', infoOf: (model: string) => modelInfo('p', model) };
/** The wires, as their vendors speak them. */
export const anthropic = anthropicWire(options);
export const openai = openaiWire(options);
export const responses = responsesWire(options);
export const mistral = openaiWire({ ...options, host: 'api.mistral.ai' });

/** The body of a request to a model with two tools. */
export function bodyOf(wire: Wire, over: Partial<LlmRequest>): Json {
  const request = requestOf({ model: 'asked', tools: [TOOL, { ...TOOL, name: 'bash' }], maxTokens: 4096, ...over });
  return JSON.parse(toJson(wire.body(request, true))) as Json;
}

function recorded(path: string, json: Json): RecordedRequest {
  const headers = {
    'content-type': 'application/json',
    'x-api-key': 'k',
    'anthropic-version': '2023-06-01',
    authorization: 'Bearer k',
  };
  const ended = Promise.resolve({ cutByClient: false });
  return {
    method: 'POST',
    path,
    headers,
    body: Buffer.from(JSON.stringify(json)),
    json,
    atMs: 0,
    refused: null,
    ended,
  };
}

/** Why each vendor would refuse a body; null if it would not. */
export const anthropicSays = (body: Json) => anthropicRefusal(recorded('/v1/messages', body))?.message ?? null;
export const openaiSays = (body: Json) => openaiRefusal(recorded('/v1/chat/completions', body))?.message ?? null;
export const responsesSays = (body: Json) => responsesRefusal(recorded('/v1/responses', body))?.message ?? null;
