import type { Wire } from '../wire/wire.ts';

/** Where Vertex AI hosts the models. */
export interface VertexPlace {
  readonly project: string;
  readonly location: string;
}

/** True for the models that Vertex serves through Anthropic's Messages; it serves all others through Chat Completions. */
export function isClaude(model: string): boolean {
  return /^(anthropic\/)?claude/.test(model);
}

/** Anthropic's Messages at Vertex AI: the model is in the path, and the API's version in the body. */
export function vertexClaudeWire(wire: Wire, place: VertexPlace): Wire {
  return {
    ...wire,
    path(model, stream) {
      const verb = stream ? 'streamRawPredict' : 'rawPredict';
      const name = encodeURIComponent(model.replace(/^anthropic\//, '')).replace('%40', '@');
      return `${placePath(place)}/publishers/anthropic/models/${name}:${verb}`;
    },
    modelsPath: null,
    body(request, stream) {
      const { model: _, ...body } = wire.body(request, stream);
      return { anthropic_version: 'vertex-2023-10-16', ...body };
    },
  };
}

/** Chat Completions at Vertex AI: Gemini and the models of its model garden that Google serves (`publisher/model`). */
export function vertexChatWire(wire: Wire, place: VertexPlace): Wire {
  return {
    ...wire,
    path: (model, stream) => `${placePath(place)}/endpoints/openapi${wire.path(model, stream)}`,
    modelsPath: null,
    body(request, stream) {
      const model = request.model.includes('/') ? request.model : `google/${request.model}`;
      const body: Json = { ...wire.body(request, stream), model };
      return wantsSignatures(model) ? { ...body, messages: (body['messages'] as Json[]).map(withSignature) } : body;
    },
  };
}

type Json = Record<string, unknown>;

/** Gemini refuses calls without the signature of the thoughts before them, since version 3. */
function wantsSignatures(model: string): boolean {
  return /^google\/gemini-([3-9]|\d\d)/.test(model);
}

/** Google's placeholder for calls that another model made ("Thought signatures" in the documentation of Gemini). */
const FOREIGN = { extra_content: { google: { thought_signature: 'skip_thought_signature_validator' } } };

/** The first call of an answer carries the signature; parallel ones have none. */
function withSignature(message: Json): Json {
  const calls = message['tool_calls'] as Json[] | undefined;
  const [first, ...rest] = calls ?? [];
  if (first === undefined || 'extra_content' in first) return message;
  return { ...message, tool_calls: [{ ...first, ...FOREIGN }, ...rest] };
}

function placePath({ project, location }: VertexPlace): string {
  return `/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(location)}`;
}
