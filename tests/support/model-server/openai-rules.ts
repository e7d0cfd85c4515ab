import { type MockEmbeddings, openAiEmbeddingProblem } from './embeddings.ts';
import { mediaFault } from './media-rules.ts';
import type { RecordedRequest } from './server.ts';
import { openAiComplaint } from './strict-schemas.ts';

type Json = Record<string, unknown>;

/** Why the vendor would refuse a request, in its own message. */
export class OpenAiRefusal extends Error {
  readonly status: number;
  readonly type: string;
  constructor(message: string, status = 400, type = 'invalid_request_error') {
    super(message);
    this.status = status;
    this.type = type;
  }
}

/** Models that reason: they accept max_completion_tokens and neither temperature nor stop. */
const REASONING = /^(o[1-9]|gpt-5)/;

/** Null for a request that the vendor would accept. */
export function refusalOf(request: RecordedRequest, embeddings: MockEmbeddings = {}): OpenAiRefusal | null {
  try {
    if (!request.headers.authorization?.startsWith('Bearer '))
      throw new OpenAiRefusal("You didn't provide an API key.", 401);
    if (request.path === '/v1/models' && request.method === 'GET') return null;
    if (!request.json) throw new OpenAiRefusal('We could not parse the JSON body of your request.');
    if (request.path === '/v1/embeddings') refuse(openAiEmbeddingProblem(request.json, embeddings));
    else if (request.path === '/v1/chat/completions') checkBody(request.json);
    else throw new OpenAiRefusal(`Unknown request URL: ${request.method} ${request.path}.`, 404);
    return null;
  } catch (error) {
    if (error instanceof OpenAiRefusal) return error;
    throw error;
  }
}

const FIELDS = new Set(
  'model messages stream stream_options max_tokens max_completion_tokens tools tool_choice parallel_tool_calls temperature top_p stop reasoning_effort prompt_cache_key prompt_cache_retention service_tier response_format'.split(
    ' ',
  ),
);

function checkBody(body: Json): void {
  for (const key of Object.keys(body)) {
    if (!FIELDS.has(key)) throw new OpenAiRefusal(`Unrecognized request argument supplied: ${key}`);
  }
  if (typeof body['model'] !== 'string' || body['model'] === '')
    throw new OpenAiRefusal('you must provide a model parameter');
  if (body['stream_options'] !== undefined && body['stream'] !== true) {
    throw new OpenAiRefusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  }
  checkLimits(body, body['model']);
  checkTools(body);
  checkTerms(body);
  checkMessages(body['messages']);
}

function checkLimits(body: Json, model: string): void {
  if (REASONING.test(model)) {
    if (body['max_tokens'] !== undefined) {
      throw new OpenAiRefusal(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      );
    }
    for (const key of ['temperature', 'stop']) {
      if (body[key] !== undefined)
        throw new OpenAiRefusal(`Unsupported parameter: '${key}' is not supported with this model.`);
    }
  }
  if (/^o[1-9]/.test(model) && body['parallel_tool_calls'] !== undefined) {
    throw new OpenAiRefusal("Unsupported parameter: 'parallel_tool_calls' is not supported with this model.");
  }
  if (!REASONING.test(model) && body['reasoning_effort'] !== undefined) {
    throw new OpenAiRefusal('Unrecognized request argument supplied: reasoning_effort');
  }
  for (const key of ['max_tokens', 'max_completion_tokens']) {
    const value = body[key];
    if (value !== undefined && !(Number.isInteger(value) && Number(value) > 0)) {
      throw new OpenAiRefusal(`Invalid '${key}': integer below minimum value. Expected a value >= 1.`);
    }
  }
  const stop = body['stop'];
  if (Array.isArray(stop) && (stop.length === 0 || stop.length > 4))
    throw new OpenAiRefusal("Invalid 'stop': array too long.");
}

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function checkTerms(body: Json): void {
  const oneOf = (key: string, words: readonly unknown[]) => {
    if (body[key] === undefined || words.includes(body[key])) return;
    throw new OpenAiRefusal(`Invalid value: ${JSON.stringify(body[key])}. Supported values are: ${words.join(', ')}.`);
  };
  oneOf('reasoning_effort', EFFORTS);
  oneOf('service_tier', ['auto', 'default', 'flex', 'priority']);
  oneOf('prompt_cache_retention', ['in_memory', '24h']);
  const format = body['response_format'] as Json | undefined;
  if (format === undefined) return;
  const held = format['json_schema'] as Json | undefined;
  if (format['type'] !== 'json_schema' || !held) throw new OpenAiRefusal("Invalid value for 'response_format'.");
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(held['name'])))
    throw new OpenAiRefusal("Invalid 'response_format.json_schema.name': string does not match pattern.");
  if (held['strict'] === true) refuse(openAiComplaint(held['schema'], `response_format '${String(held['name'])}'`));
}

function refuse(complaint: string | null): void {
  if (complaint !== null) throw new OpenAiRefusal(complaint);
}

function checkTools(body: Json): void {
  const tools = body['tools'] as Json[] | undefined;
  if (tools === undefined) {
    for (const key of ['tool_choice', 'parallel_tool_calls']) {
      if (body[key] !== undefined)
        throw new OpenAiRefusal(`Invalid value for '${key}': '${key}' is only allowed when 'tools' are specified.`);
    }
    return;
  }
  if (tools.length === 0) throw new OpenAiRefusal("[] is too short - 'tools'");
  for (const [index, tool] of tools.entries()) {
    const fn = tool['function'] as Json | undefined;
    if (tool['type'] !== 'function' || !fn)
      throw new OpenAiRefusal(`Missing required parameter: 'tools[${index}].function'.`);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(fn['name']))) {
      throw new OpenAiRefusal(
        `Invalid 'tools[${index}].function.name': string does not match pattern '^[a-zA-Z0-9_-]+$'.`,
      );
    }
    if (fn['strict'] === true) refuse(openAiComplaint(fn['parameters'], `function '${String(fn['name'])}'`));
    if ((fn['parameters'] as Json | undefined)?.['type'] !== 'object') {
      throw new OpenAiRefusal(
        `Invalid schema for function '${String(fn['name'])}': schema must be a JSON Schema of 'type: "object"'`,
      );
    }
  }
}

function checkMessages(value: unknown): void {
  if (!Array.isArray(value) || value.length === 0) throw new OpenAiRefusal("[] is too short - 'messages'");
  let waiting: string[] = [];
  let answerable: string[] = [];
  for (const [index, message] of (value as Json[]).entries()) {
    const role = message['role'];
    if (role === 'tool') {
      const id = message['tool_call_id'];
      if (typeof id !== 'string' || !answerable.includes(id)) {
        throw new OpenAiRefusal(
          `Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'. (messages.[${index}].role)`,
        );
      }
      waiting = waiting.filter((each) => each !== id);
      checkContent(message['content'], `messages[${index}].content`, ['text'], false);
      continue;
    }
    refuseWaiting(waiting);
    answerable = [];
    if (role === 'assistant') {
      waiting = checkAssistant(message, index);
      answerable = [...waiting];
    } else if (role === 'user') {
      checkContent(message['content'], `messages[${index}].content`, ['text', 'image_url', 'file'], false);
    } else if (role === 'system' || role === 'developer') {
      checkContent(message['content'], `messages[${index}].content`, ['text'], false);
    } else {
      throw new OpenAiRefusal(
        `Invalid value: '${String(role)}'. Supported values are: 'system', 'assistant', 'user', 'tool'.`,
      );
    }
  }
  refuseWaiting(waiting);
}

function refuseWaiting(waiting: readonly string[]): void {
  if (waiting.length === 0) return;
  throw new OpenAiRefusal(
    `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ${waiting.join(', ')}`,
  );
}

function checkAssistant(message: Json, index: number): string[] {
  const calls = message['tool_calls'] as Json[] | undefined;
  if (calls?.length === 0) throw new OpenAiRefusal(`[] is too short - 'messages.${index}.tool_calls'`);
  checkContent(message['content'], `messages[${index}].content`, ['text', 'refusal'], calls !== undefined);
  const ids = (calls ?? []).map((call) => {
    const fn = call['function'] as Json | undefined;
    const id = call['id'];
    if (call['type'] !== 'function' || !fn)
      throw new OpenAiRefusal(`Missing required parameter: 'messages[${index}].tool_calls[0].type'.`);
    if (typeof fn['arguments'] !== 'string') {
      throw new OpenAiRefusal(
        `Invalid type for 'messages[${index}].tool_calls[0].function.arguments': expected a string.`,
      );
    }
    JSON.parse(fn['arguments']);
    if (typeof id !== 'string' || id === '' || id.length > 40) {
      throw new OpenAiRefusal(`Invalid 'messages[${index}].tool_calls[0].id': string too long or empty.`);
    }
    return id;
  });
  if (new Set(ids).size < ids.length) throw new OpenAiRefusal('Duplicate value for tool_call_id');
  return ids;
}

function checkContent(content: unknown, where: string, types: readonly string[], mayBeNull: boolean): void {
  if (content === null || content === undefined) {
    if (mayBeNull) return;
    throw new OpenAiRefusal(`Invalid value for '${where}': expected a string, got null.`);
  }
  if (typeof content === 'string') {
    if (!content.isWellFormed()) throw new OpenAiRefusal('We could not parse the JSON body of your request.');
    return;
  }
  if (!Array.isArray(content) || content.length === 0)
    throw new OpenAiRefusal(`Invalid type for '${where}': expected one of a string or array of objects`);
  for (const part of content as Json[]) {
    if (!types.includes(String(part['type']))) {
      throw new OpenAiRefusal(
        `Invalid value: '${String(part['type'])}'. Supported values are: ${types.join(', ')}. (${where})`,
      );
    }
    checkMedia(part, where);
  }
}

/** Chat Completions takes images and PDF files as data URLs; of a file it wants the name. */
function checkMedia(part: Json, where: string): void {
  const type = part['type'];
  if (type !== 'image_url' && type !== 'file') return;
  const value = part[type] as Json | undefined;
  const url = String(value?.[type === 'file' ? 'file_data' : 'url']);
  const [, mediaType = '', data = ''] = /^data:([^;,]+);base64,(.*)$/.exec(url) ?? [];
  const fault = mediaFault(type === 'file' ? 'document' : 'image', mediaType, data);
  if (fault !== null) throw new OpenAiRefusal(`You uploaded an unsupported ${type}: ${fault}. (${where})`);
  if (type === 'file' && !String(value?.['filename']).endsWith('.pdf')) {
    throw new OpenAiRefusal(`Invalid file data: expected a file name that ends in .pdf (${where})`);
  }
}
