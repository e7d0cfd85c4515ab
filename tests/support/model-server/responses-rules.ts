import { OpenAiRefusal } from './openai-rules.ts';
import type { RecordedRequest } from './server.ts';
import { openAiComplaint } from './strict-schemas.ts';

type Json = Record<string, unknown>;

/** Models that do not reason. The others take `reasoning` and `include`, and neither temperature nor top_p. */
const PLAIN = /^gpt-[34]/;

/** Null for a request that the vendor would accept. */
export function refusalOf(request: RecordedRequest): OpenAiRefusal | null {
  try {
    if (!request.headers.authorization?.startsWith('Bearer '))
      throw new OpenAiRefusal("You didn't provide an API key.", 401);
    if (request.path === '/v1/models' && request.method === 'GET') return null;
    if (request.path !== '/v1/responses')
      throw new OpenAiRefusal(`Unknown request URL: ${request.method} ${request.path}.`, 404);
    if (!request.json) throw new OpenAiRefusal('We could not parse the JSON body of your request.');
    checkBody(request.json);
    return null;
  } catch (error) {
    if (error instanceof OpenAiRefusal) return error;
    throw error;
  }
}

const FIELDS = new Set(
  'model input instructions store stream stream_options max_output_tokens tools tool_choice parallel_tool_calls temperature top_p reasoning include prompt_cache_key prompt_cache_retention text service_tier'.split(
    ' ',
  ),
);

function checkBody(body: Json): void {
  for (const key of Object.keys(body)) {
    if (!FIELDS.has(key)) throw new OpenAiRefusal(`Unknown parameter: '${key}'.`);
  }
  const { model, store, stream, max_output_tokens: max } = body;
  if (typeof model !== 'string' || model === '') throw new OpenAiRefusal("Missing required parameter: 'model'.");
  // The vendor would accept it, and keep every conversation.
  if (store !== false) throw new OpenAiRefusal("This mock keeps nothing: 'store' must be false.");
  if (body['stream_options'] !== undefined && stream !== true)
    throw new OpenAiRefusal("The 'stream_options' parameter is only allowed when 'stream' is enabled.");
  if (max !== undefined && !(Number.isInteger(max) && Number(max) >= 16)) {
    throw new OpenAiRefusal("Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16.");
  }
  checkReasoning(body, !PLAIN.test(model));
  checkTools(body);
  checkTerms(body);
  checkInput(body['input'], model);
}

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

function checkReasoning(body: Json, reasons: boolean): void {
  const { reasoning, include } = body as { reasoning?: Json; include?: unknown };
  if (include !== undefined) {
    if (!Array.isArray(include) || include.some((each) => each !== 'reasoning.encrypted_content'))
      throw new OpenAiRefusal("Invalid value for 'include'.");
    if (!reasons) throw new OpenAiRefusal('Encrypted content is not supported with this model.');
  }
  if (reasoning !== undefined) {
    if (!reasons)
      throw new OpenAiRefusal("Unsupported parameter: 'reasoning.effort' is not supported with this model.");
    if (!EFFORTS.includes(String(reasoning['effort'])))
      throw new OpenAiRefusal("Invalid value for 'reasoning.effort'.");
  }
  for (const key of ['temperature', 'top_p']) {
    if (reasons && body[key] !== undefined)
      throw new OpenAiRefusal(`Unsupported parameter: '${key}' is not supported with this model.`);
  }
}

function checkTools(body: Json): void {
  const tools = body['tools'] as Json[] | undefined;
  if (tools === undefined) {
    if (body['tool_choice'] !== undefined && body['tool_choice'] !== 'none')
      throw new OpenAiRefusal("Tool choice 'tool_choice' must be specified with 'tools' parameter.");
    return;
  }
  for (const [index, tool] of tools.entries()) {
    if (tool['type'] !== 'function') throw new OpenAiRefusal(`Invalid value for 'tools[${index}].type'.`);
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(tool['name']))) {
      throw new OpenAiRefusal(
        `Invalid 'tools[${index}].name': string does not match pattern. Expected a string that matches '^[a-zA-Z0-9_-]+$'.`,
      );
    }
    const parameters = tool['parameters'] as Json | undefined;
    const schema = `Invalid schema for function '${String(tool['name'])}'`;
    if (parameters?.['type'] !== 'object')
      throw new OpenAiRefusal(`${schema}: schema must be a JSON Schema of 'type: "object"'.`);
    // Without a word, a function is strict.
    const complaint =
      tool['strict'] === false ? null : openAiComplaint(parameters, `function '${String(tool['name'])}'`);
    if (complaint !== null) throw new OpenAiRefusal(complaint);
  }
}

function checkTerms(body: Json): void {
  const { text, service_tier: tier, prompt_cache_retention: retention } = body as { text?: { format?: Json } } & Json;
  if (tier !== undefined && !['auto', 'default', 'flex', 'priority'].includes(tier as string))
    throw new OpenAiRefusal("Invalid value for 'service_tier'.");
  if (retention !== undefined && retention !== 'in_memory' && retention !== '24h')
    throw new OpenAiRefusal("Invalid value for 'prompt_cache_retention'.");
  const format = text?.format;
  if (format === undefined) return;
  if (format['type'] !== 'json_schema' || !/^[a-zA-Z0-9_-]{1,64}$/.test(String(format['name'])))
    throw new OpenAiRefusal("Invalid value for 'text.format'.");
  const complaint =
    format['strict'] === true ? openAiComplaint(format['schema'], `text.format '${String(format['name'])}'`) : null;
  if (complaint !== null) throw new OpenAiRefusal(complaint);
}

function checkInput(value: unknown, model: string): void {
  if (!Array.isArray(value) || value.length === 0) throw new OpenAiRefusal("Missing required parameter: 'input'.");
  const calls = new Set<string>();
  const open = new Set<string>();
  let leads = false;
  for (const [index, item] of (value as Json[]).entries()) {
    const where = `input[${index}]`;
    const type = item['type'] ?? 'message';
    const isWhole = typeof item['encrypted_content'] === 'string' || Array.isArray(item['content']);
    if (item['id'] !== undefined && !isWhole) throw notStored(item['id']);
    const isAnswer = type === 'function_call' || (type === 'message' && item['role'] === 'assistant');
    if (leads && !isAnswer && type !== 'reasoning') throw NOTHING_FOLLOWS;
    leads = type === 'reasoning';
    if (type === 'message') checkMessage(item, where);
    else if (type === 'reasoning') checkReasoningItem(item, where, model);
    else if (type === 'function_call') {
      const id = checkCall(item, where);
      if (calls.has(id)) throw new OpenAiRefusal(`Duplicate function call with call_id ${id}.`);
      calls.add(id);
      open.add(id);
    } else if (type === 'function_call_output') {
      const id = String(item['call_id']);
      if (!calls.has(id)) throw new OpenAiRefusal(`No tool call found for function call output with call_id ${id}.`);
      if (!open.delete(id)) throw new OpenAiRefusal(`Duplicate output for function call ${id}.`);
      checkParts(item['output'], `${where}.output`, ['input_text', 'input_image', 'input_file']);
    } else throw new OpenAiRefusal(`Invalid value of ${where}.type.`);
  }
  if (leads) throw NOTHING_FOLLOWS;
  const [missing] = open;
  if (missing !== undefined) throw new OpenAiRefusal(`No tool output found for function call ${missing}.`);
}

const NOTHING_FOLLOWS = new OpenAiRefusal("Item of type 'reasoning' was provided without its required following item.");

function notStored(id: unknown): OpenAiRefusal {
  return new OpenAiRefusal(
    `Item with id '${String(id)}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    404,
  );
}

function checkMessage(item: Json, where: string): void {
  const { role, content, phase } = item;
  if (role === 'assistant') {
    if (phase !== undefined && phase !== 'commentary' && phase !== 'final_answer')
      throw new OpenAiRefusal(`Invalid value of ${where}.phase.`);
    checkParts(content, `${where}.content`, ['output_text', 'refusal']);
  } else if (role === 'user' || role === 'system' || role === 'developer') {
    if (phase !== undefined) throw new OpenAiRefusal(`Unknown parameter: '${where}.phase'.`);
    checkParts(content, `${where}.content`, ['input_text', 'input_image', 'input_file']);
  } else throw new OpenAiRefusal(`Invalid value: '${String(role)}'. (${where}.role)`);
}

function checkParts(content: unknown, where: string, types: readonly string[]): void {
  if (typeof content === 'string') return checkText(content);
  if (!Array.isArray(content) || content.length === 0)
    throw new OpenAiRefusal(`Invalid type for '${where}': expected one of an array of objects or string.`);
  for (const part of content as Json[]) {
    const type = String(part['type']);
    if (!types.includes(type))
      throw new OpenAiRefusal(`Invalid value: '${type}'. Supported values are: ${types.join(', ')}. (${where})`);
    if (type.endsWith('_text')) checkText(part['text']);
    if (type === 'input_image' && !/^(data:image\/|https?:)/.test(String(part['image_url'])))
      throw new OpenAiRefusal(`Invalid '${where}.image_url'.`);
    if (type === 'input_file' && (part['filename'] === undefined || part['file_data'] === undefined))
      throw new OpenAiRefusal(`Missing required parameter: '${where}.file_data'.`);
  }
}

function checkText(text: unknown): void {
  if (typeof text !== 'string' || !text.isWellFormed())
    throw new OpenAiRefusal('We could not parse the JSON body of your request.');
}

function checkCall(item: Json, where: string): string {
  const { call_id: id, name, arguments: json } = item;
  if (typeof id !== 'string' || id === '' || id.length > 64)
    throw new OpenAiRefusal(`Invalid '${where}.call_id': string too long. Expected a string with maximum length 64.`);
  if (!/^[a-zA-Z0-9_-]{1,64}$/.test(String(name))) throw new OpenAiRefusal(`Invalid '${where}.name'.`);
  if (typeof json !== 'string') throw new OpenAiRefusal(`Invalid type for '${where}.arguments': expected a string.`);
  JSON.parse(json);
  return id;
}

function checkReasoningItem(item: Json, where: string, model: string): void {
  if (!Array.isArray(item['summary'])) throw new OpenAiRefusal(`Missing required parameter: '${where}.summary'.`);
  const sealed = item['encrypted_content'];
  // Open models' servers send it in the clear, and take it back so.
  if (sealed === undefined && Array.isArray(item['content'])) return;
  if (typeof sealed === 'string' && opensFor(sealed, model)) return;
  throw new OpenAiRefusal(`The encrypted content ${String(sealed).slice(0, 12)}... could not be verified.`);
}

/** Stands for the vendor's encryption: valid only unchanged, and for the model that wrote it. */
export function seal(model: string, thought: string): string {
  const text = Buffer.from(`${model}\0${thought}`).toString('base64url');
  return `gAAAAAB${text}_${checksum(text)}`;
}

function opensFor(sealed: string, model: string): boolean {
  const { text, sum } = /^gAAAAAB(?<text>.+)_(?<sum>[0-9]+)$/.exec(sealed)?.groups ?? {};
  if (text === undefined || sum !== String(checksum(text))) return false;
  return Buffer.from(text, 'base64url').toString().startsWith(`${model}\0`);
}

function checksum(text: string): number {
  let sum = 7;
  for (const char of text) sum = (sum * 31 + char.charCodeAt(0)) % 1_000_003;
  return sum;
}
