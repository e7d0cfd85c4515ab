/** The attributes of spans. */

/** Attributes of spans, with their type. Names under gen_ai follow OpenTelemetry's GenAI semantic conventions. */
const ATTRIBUTES = {
  'work.id': 'string',
  'work.parent_id': 'string',
  'work.faculty': 'string',
  'work.skill': 'string',
  'work.source': 'string',
  'work.priority': 'number',
  'work.attempt': 'number',
  'work.state': 'string',
  'work.turn': 'number',
  'work.stop_reason': 'string',
  'work.focus_id': 'string',
  'work.focus_ended_as': 'string',
  'work.parallel_tools': 'number',
  'work.tool.is_error': 'boolean',
  'work.tool.output_bytes': 'number',
  'work.sandbox.ended': 'string',
  'work.sandbox.tool_calls': 'number',
  'work.awareness.digest_tokens': 'number',
  'work.skills.activated': 'string',
  'work.skills.findings': 'number',
  'work.skills.topics': 'number',
  'work.skills.proposals': 'number',
  'work.hook.event': 'string',
  'work.hook.name': 'string',
  'work.hook.decision': 'string',
  'error.type': 'string',
  'gen_ai.operation.name': 'string',
  'gen_ai.provider.name': 'string',
  'gen_ai.request.model': 'string',
  'gen_ai.response.model': 'string',
  'gen_ai.response.id': 'string',
  'gen_ai.response.finish_reasons': 'string[]',
  'gen_ai.usage.input_tokens': 'number',
  'gen_ai.usage.output_tokens': 'number',
  'gen_ai.usage.cache_read.input_tokens': 'number',
  'gen_ai.usage.cache_creation.input_tokens': 'number',
  'work.usage.estimated': 'boolean',
  'gen_ai.tool.name': 'string',
  'gen_ai.tool.call.id': 'string',
  'mcp.server': 'string',
  'http.route': 'string',
  'http.request.method': 'string',
  'http.response.status_code': 'number',
} as const;

/** The name of an attribute. */
export type AttributeName = keyof typeof ATTRIBUTES;
type TypeNamed = { string: string; number: number; boolean: boolean; 'string[]': readonly string[] };
/** The type of an attribute's value. */
export type AttributeValue<Name extends AttributeName> = TypeNamed[(typeof ATTRIBUTES)[Name]];
