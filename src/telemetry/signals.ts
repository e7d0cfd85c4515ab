/**
 * Every span, metric and attribute that animus emits, with units and labels: the one table. `spans.ts` and `metrics.ts`
 * accept only what stands here; docs and dashboards name the same words. Identifiers stand on spans and log lines, never
 * on metrics. No prompt, result or other content anywhere.
 */

/** Attributes of spans and fields of log lines, with their type. Names under gen_ai follow OpenTelemetry's GenAI conventions. */
export const ATTRIBUTES = {
  'work.id': 'string',
  'work.root_id': 'string',
  'work.parent_id': 'string',
  'work.faculty': 'string',
  'work.skill': 'string',
  'work.source': 'string',
  'work.priority': 'number',
  'work.attempt': 'number',
  'work.state': 'string',
  'work.phase': 'string',
  'work.turn': 'number',
  'work.turns': 'number',
  'work.stop_reason': 'string',
  'work.focus_id': 'string',
  'work.focus_ended_as': 'string',
  'work.resumed': 'boolean',
  'work.daemon_id': 'string',
  'work.parallel_tools': 'number',
  'work.hook.command': 'string',
  'work.hook.exit_code': 'number',
  'work.digest.items': 'number',
  'work.digest.tokens': 'number',
  'work.skills': 'string[]',
  'work.cost_usd': 'number',
  'work.tool.state': 'string',
  'work.tool.origin': 'string',
  'work.tool.is_error': 'boolean',
  'work.tool.output_bytes': 'number',
  'error.type': 'string',
  'gen_ai.operation.name': 'string',
  'gen_ai.provider.name': 'string',
  'gen_ai.agent.name': 'string',
  'gen_ai.conversation.id': 'string',
  'gen_ai.request.model': 'string',
  'gen_ai.request.max_tokens': 'number',
  'gen_ai.request.temperature': 'number',
  'gen_ai.response.model': 'string',
  'gen_ai.response.id': 'string',
  'gen_ai.response.finish_reasons': 'string[]',
  'gen_ai.response.time_to_first_chunk': 'number',
  'gen_ai.usage.input_tokens': 'number',
  'gen_ai.usage.output_tokens': 'number',
  'gen_ai.usage.reasoning.output_tokens': 'number',
  'gen_ai.usage.cache_read.input_tokens': 'number',
  'gen_ai.usage.cache_creation.input_tokens': 'number',
  'gen_ai.tool.name': 'string',
  'gen_ai.tool.type': 'string',
  'gen_ai.tool.call.id': 'string',
  'server.address': 'string',
  'server.port': 'number',
  'http.response.status_code': 'number',
} as const;

export type AttributeName = keyof typeof ATTRIBUTES;
type TypeNamed = { string: string; number: number; boolean: boolean; 'string[]': readonly string[] };
type AttributeValue<Name extends AttributeName> = TypeNamed[(typeof ATTRIBUTES)[Name]];

/** What the table holds of a span. */
export interface SpanRow {
  /** Seen from OpenTelemetry: `client` calls another system, everything else is `internal`. */
  readonly kind: 'internal' | 'client' | 'consumer';
  /** Attributes the span may carry beside `error.type`, which a failure sets. */
  readonly attributes: readonly AttributeName[];
  /** The attribute that follows the name in the span's name, as in `chat claude-sonnet-4-5`. */
  readonly suffix?: AttributeName;
}

const WORK = ['work.id', 'work.faculty', 'work.focus_id'] as const satisfies readonly AttributeName[];

/** The spans, parents before children. */
export const SPANS = {
  /** One focus on one item; a root of its own, linked to the submitter's span and the parent item's. */
  'work.execute': {
    kind: 'consumer',
    attributes: [
      ...WORK,
      'work.root_id',
      'work.parent_id',
      'work.skill',
      'work.source',
      'work.priority',
      'work.attempt',
      'work.resumed',
      'work.daemon_id',
      'work.state',
      'work.focus_ended_as',
      'work.cost_usd',
    ],
  },
  'work.orient': { kind: 'internal', attributes: [...WORK, 'work.hook.command', 'work.hook.exit_code'] },
  'work.awareness.digest': { kind: 'internal', attributes: [...WORK, 'work.digest.items', 'work.digest.tokens'] },
  'work.skills.auto_activate': { kind: 'internal', attributes: [...WORK, 'work.skills'] },
  'work.engage': {
    kind: 'internal',
    attributes: [
      ...WORK,
      'work.turns',
      'work.stop_reason',
      'work.resumed',
      'gen_ai.request.model',
      'gen_ai.agent.name',
    ],
  },
  'work.engage.iteration': {
    kind: 'internal',
    attributes: [...WORK, 'work.turn', 'work.stop_reason', 'work.parallel_tools'],
  },
  /** One LLM call, its retries included. */
  chat: {
    kind: 'client',
    suffix: 'gen_ai.request.model',
    attributes: [
      ...WORK,
      'work.turn',
      'gen_ai.operation.name',
      'gen_ai.provider.name',
      'gen_ai.agent.name',
      'gen_ai.conversation.id',
      'gen_ai.request.model',
      'gen_ai.request.max_tokens',
      'gen_ai.request.temperature',
      'gen_ai.response.model',
      'gen_ai.response.id',
      'gen_ai.response.finish_reasons',
      'gen_ai.response.time_to_first_chunk',
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.reasoning.output_tokens',
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_creation.input_tokens',
      'server.address',
      'server.port',
      'http.response.status_code',
    ],
  },
  /** One tool call; parallel ones overlap. */
  execute_tool: {
    kind: 'internal',
    suffix: 'gen_ai.tool.name',
    attributes: [
      ...WORK,
      'work.turn',
      'work.tool.state',
      'work.tool.origin',
      'work.tool.is_error',
      'work.tool.output_bytes',
      'gen_ai.operation.name',
      'gen_ai.tool.name',
      'gen_ai.tool.type',
      'gen_ai.tool.call.id',
    ],
  },
  execute_code: { kind: 'internal', attributes: [...WORK, 'work.turn', 'work.tool.state', 'work.tool.output_bytes'] },
  'sandbox.tool.call': { kind: 'internal', attributes: [...WORK, 'gen_ai.tool.name', 'work.tool.is_error'] },
  'work.consolidate': { kind: 'internal', attributes: [...WORK, 'work.hook.command', 'work.hook.exit_code'] },
  'work.recover': {
    kind: 'internal',
    attributes: [...WORK, 'work.attempt', 'work.hook.command', 'work.hook.exit_code'],
  },
} as const satisfies Record<string, SpanRow>;

export type SpanName = keyof typeof SPANS;
/** What may be set on a span of that name; null and undefined are left out. */
export type SpanAttributes<Name extends SpanName> = {
  readonly [Key in (typeof SPANS)[Name]['attributes'][number]]?: AttributeValue<Key> | null | undefined;
};

interface MetricRow {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  /** UCUM: ms, s, By, {item} … */
  readonly unit: string;
  readonly description: string;
  /** Low cardinality only: names people wrote, closed sets. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, where the SDK's (0 to 10,000) do not fit. */
  readonly buckets?: readonly number[];
}

const LONG_MS = [100, 500, 1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000] as const;
const CALL_S = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] as const;
const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304] as const;
const GEN_AI = [
  'gen_ai.operation.name',
  'gen_ai.provider.name',
  'gen_ai.request.model',
  'gen_ai.response.model',
  'error.type',
] as const;

/** The metrics. */
export const METRICS = {
  'work.submitted': counter('{item}', 'Work items inserted', ['faculty', 'source', 'result']),
  'work.state_transitions': counter('{transition}', 'Changes of state', ['faculty', 'from', 'to']),
  'work.unroutable': gauge('{item}', 'Queued items of faculties no live daemon knows', ['faculty']),
  'work.queue.depth': gauge('{item}', 'Items by state', ['faculty', 'state']),
  'work.queue.oldest_age': gauge('s', 'Age of the oldest item that is ready to run', ['faculty']),
  'work.claim.latency': histogram('ms', 'From ready to claimed', ['faculty'], LONG_MS),
  'work.focus.duration': histogram('ms', 'One focus, from claim to end', ['faculty', 'ended_as'], LONG_MS),
  'work.engage.iterations': histogram('{turn}', 'Turns of a focus', ['faculty'], [1, 2, 3, 5, 8, 13, 21, 34, 55, 100]),
  'work.engage.parallel_tools': histogram(
    '{call}',
    'Tool calls of one answer',
    ['faculty'],
    [1, 2, 3, 4, 6, 8, 12, 16],
  ),
  'work.engage.overhead': histogram('ms', 'Time of a turn spent neither in the model nor in tools', ['faculty']),
  'work.context.blocks_closed': counter('{block}', 'Blocks closed by a step', ['faculty']),
  'work.context.blocks_truncated': counter('{block}', 'Closed blocks replaced by a stub', ['faculty']),
  'work.context.compactions': counter('{compaction}', 'Compactions to the ledger', ['faculty']),
  'work.context.emergency_summarizations': counter('{summary}', 'Contexts summarised by a model', ['faculty']),
  'work.context.cache_hit_ratio': histogram(
    '1',
    'Input tokens read from the cache, of all',
    ['faculty'],
    [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1],
  ),
  'work.ledger.entries': counter('{entry}', 'Ledger entries', ['faculty', 'entry_type']),
  'work.child.spawned': counter('{item}', 'Child work items', ['faculty', 'child_faculty']),
  'work.child.await_duration': histogram('ms', 'Parked for children', ['faculty'], LONG_MS),
  'work.awareness.digest_size': histogram('{token}', 'Tokens of a digest', ['faculty'], TOKENS),
  'work.awareness.digest_latency': histogram('ms', 'Making a digest', ['faculty']),
  'work.sandbox.executions': counter('{execution}', 'Code executions', ['faculty', 'ended_as']),
  'work.sandbox.duration': histogram('ms', 'One code execution', ['faculty'], LONG_MS),
  'work.sandbox.tool_calls': counter('{call}', 'Tool calls from sandboxed code', ['faculty', 'tool']),
  'work.sandbox.output_bytes': histogram('By', 'Output returned to the model', ['faculty'], TOKENS),
  'work.sandbox.internal_bytes': histogram('By', 'Tool results that stayed in the sandbox', ['faculty'], TOKENS),
  'work.sandbox.timeouts': counter('{execution}', 'Code executions ended by their time limit', ['faculty']),
  'work.sandbox.errors': counter('{execution}', 'Code executions that failed', ['faculty']),
  'work.skills.activated': counter('{activation}', 'Skills activated', ['faculty', 'skill']),
  'work.skills.created': counter('{skill}', 'Skills made by agents', ['faculty']),
  'work.skills.updated': counter('{skill}', 'Skills changed by agents', ['faculty']),
  'work.skills.stale': gauge('{skill}', 'Skills unused for 30 days', []),
  'work.budget.spent': counter('{USD}', 'Settled cost', ['faculty', 'model']),
  'gen_ai.client.token.usage': histogram('{token}', 'Tokens of one call', [...GEN_AI, 'gen_ai.token.type'], TOKENS),
  'gen_ai.client.operation.duration': histogram('s', 'One LLM call, retries included', GEN_AI, CALL_S),
  'gen_ai.client.operation.time_to_first_chunk': histogram('s', 'To the first streamed chunk', GEN_AI, CALL_S),
} as const satisfies Record<string, MetricRow>;

export type MetricName = keyof typeof METRICS;
type MetricOfKind<Kind> = {
  [Name in MetricName]: (typeof METRICS)[Name]['kind'] extends Kind ? Name : never;
}[MetricName];
export type CounterName = MetricOfKind<'counter'>;
export type HistogramName = MetricOfKind<'histogram'>;
export type GaugeName = MetricOfKind<'gauge'>;
/** The labels a metric may have. */
export type Labels<Name extends MetricName> = { readonly [Key in (typeof METRICS)[Name]['labels'][number]]?: string };

function counter<const L extends readonly string[]>(unit: string, description: string, labels: L) {
  return { kind: 'counter' as const, unit, description, labels };
}

function gauge<const L extends readonly string[]>(unit: string, description: string, labels: L) {
  return { kind: 'gauge' as const, unit, description, labels };
}

function histogram<const L extends readonly string[]>(
  unit: string,
  description: string,
  labels: L,
  buckets?: readonly number[],
) {
  return { kind: 'histogram' as const, unit, description, labels, ...(buckets && { buckets }) };
}
