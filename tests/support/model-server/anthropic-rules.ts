import { checkMessages } from './anthropic-message-rules.ts';
import { list, Refused } from './anthropic-refused.ts';
import type { RecordedRequest } from './server.ts';
import { anthropicBudgetComplaint, anthropicComplaint } from './strict-schemas.ts';

type Json = Record<string, unknown>;

/** Why the provider would refuse a request, in its own message. */
export interface Refusal {
  readonly status: number;
  readonly message: string;
}

/** Null for a request that the Messages API would accept. */
export function refusalOf(request: RecordedRequest): Refusal | null {
  try {
    checkTransport(request);
    if (!request.json) throw new Refused('The request body is not valid JSON');
    checkBody(request.json);
    return null;
  } catch (error) {
    if (error instanceof Refused) return { status: error.status, message: error.message };
    throw error;
  }
}

function checkTransport({ method, path, headers }: RecordedRequest): void {
  if (method !== 'POST' || path !== '/v1/messages') throw new Refused('Not found', 404);
  if (!headers['x-api-key']) throw new Refused('x-api-key header is required', 401);
  if (headers['anthropic-version'] !== '2023-06-01') throw new Refused('anthropic-version: header is required');
  if (!headers['content-type']?.startsWith('application/json'))
    throw new Refused('content-type must be application/json');
}

const FIELDS = new Set(
  'model max_tokens stream messages system tools tool_choice temperature top_p top_k stop_sequences metadata thinking output_config service_tier'.split(
    ' ',
  ),
);

function checkBody(body: Json): void {
  for (const key of Object.keys(body))
    if (!FIELDS.has(key)) throw new Refused(`${key}: Extra inputs are not permitted`);
  if (typeof body['model'] !== 'string' || body['model'] === '') throw new Refused('model: Field required');
  const max = body['max_tokens'];
  if (max === undefined) throw new Refused('max_tokens: Field required');
  if (!Number.isInteger(max) || Number(max) < 1) throw new Refused('max_tokens: must be greater than or equal to 1');
  const tools = checkTools(body);
  checkOutput(body);
  checkSampling(body, Number(max));
  checkMessages(body, tools);
  checkCacheControls(body);
}

function checkTools(body: Json): Set<string> {
  const names = new Set<string>();
  for (const [index, tool] of list(body['tools'], 'tools').entries()) {
    const name = String(tool['name']);
    if (!/^[a-zA-Z0-9_-]{1,128}$/.test(name)) {
      throw new Refused(`tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`);
    }
    if (names.has(name)) throw new Refused('tools: Tool names must be unique.');
    const schema = tool['input_schema'] as Json | undefined;
    if (schema?.['type'] !== 'object') throw new Refused(`tools.${index}.custom.input_schema.type: Field required`);
    names.add(name);
  }
  const choice = body['tool_choice'] as Json | undefined;
  if (choice && names.size === 0) throw new Refused('tool_choice may only be specified while providing tools.');
  if (choice?.['type'] === 'tool' && !names.has(String(choice['name']))) {
    throw new Refused(`Tool '${String(choice['name'])}' not found in provided tools`);
  }
  return names;
}

function checkOutput(body: Json): void {
  const { effort, format, ...rest } = (body['output_config'] ?? {}) as Json;
  const [other] = Object.keys(rest);
  if (other !== undefined) throw new Refused(`output_config.${other}: Extra inputs are not permitted`);
  if (effort !== undefined && !['low', 'medium', 'high', 'xhigh', 'max'].includes(effort as string))
    throw new Refused("output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'");
  const tier = body['service_tier'];
  if (tier !== undefined && tier !== 'auto' && tier !== 'standard_only')
    throw new Refused("service_tier: Input should be 'auto' or 'standard_only'");
  const tools = list(body['tools'], 'tools').filter((tool) => tool['strict'] === true);
  for (const [index, tool] of tools.entries())
    refuse(anthropicComplaint(tool['input_schema'], `tools.${index}.custom`));
  const held = format as Json | undefined;
  if (held !== undefined) {
    if (held['type'] !== 'json_schema' || Object.keys(held).length !== 2)
      throw new Refused('output_config.format: Input should be a json_schema with a schema');
    refuse(anthropicComplaint(held['schema'], 'output_config.format.schema'));
  }
  refuse(
    anthropicBudgetComplaint(
      held?.['schema'],
      tools.map((tool) => tool['input_schema']),
    ),
  );
}

function refuse(complaint: string | null): void {
  if (complaint !== null) throw new Refused(complaint);
}

function checkSampling(body: Json, max: number): void {
  const thinking = body['thinking'] as Json | undefined;
  if (thinking?.['type'] === 'enabled') {
    const budget = Number(thinking['budget_tokens']);
    if (!(budget >= 1024))
      throw new Refused('thinking.enabled.budget_tokens: Input should be greater than or equal to 1024');
    if (max <= budget) throw new Refused('`max_tokens` must be greater than `thinking.budget_tokens`.');
    if (body['temperature'] !== undefined && body['temperature'] !== 1) {
      throw new Refused('`temperature` may only be set to 1 when thinking is enabled.');
    }
    const choice = (body['tool_choice'] as Json | undefined)?.['type'];
    if (choice === 'any' || choice === 'tool')
      throw new Refused('Thinking may not be enabled when tool_choice forces tool use.');
  }
  const temperature = body['temperature'];
  if (temperature !== undefined && !(Number(temperature) >= 0 && Number(temperature) <= 1)) {
    throw new Refused('temperature: range: 0..1');
  }
  for (const stop of (body['stop_sequences'] ?? []) as string[]) {
    if (stop.trim() === '') throw new Refused('stop_sequences: each stop sequence must contain non-whitespace');
  }
}

function checkCacheControls(body: Json): void {
  let count = 0;
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    const block = value as Json;
    if (block['cache_control'] !== undefined) {
      count += 1;
      const type = block['type'];
      if (type === 'thinking' || type === 'redacted_thinking') {
        throw new Refused('messages: cache_control cannot be set for thinking blocks');
      }
      if (type === 'text' && block['text'] === '')
        throw new Refused('cache_control cannot be set for empty text blocks');
      const control = block['cache_control'] as Json;
      if (control['type'] !== 'ephemeral') throw new Refused('cache_control.type: Input should be ephemeral');
    }
    // Inputs of tools and schemas are the user's own data.
    for (const [key, child] of Object.entries(block)) if (key !== 'input' && key !== 'input_schema') visit(child);
  };
  visit([body['tools'], body['system'], body['messages']]);
  if (count > 4) throw new Refused(`A maximum of 4 blocks with cache_control may be provided. Found ${count}.`);
}
