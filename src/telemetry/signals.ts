/**
 * The tables of every span and metric that animus emits, with units and labels. `spans.ts` and `metrics.ts`
 * accept only these names, docs/telemetry.md lists the same, and a test checks that each is emitted somewhere. Ids are on
 * spans and log lines, never on metrics. Prompts, results and other content are never exported.
 */
import type { AttributeValue } from './attributes.ts';
import {
  BATCH_S,
  CALL_S,
  CALLS,
  counter,
  DIGEST_MS,
  gauge,
  HOOK_MS,
  histogram,
  LONG_MS,
  type MetricRow,
  SHARE,
  TOKENS,
  TURNS,
  WAIT_S,
} from './metric-rows.ts';
import { ASKED, type SpanRow, TOOL_CALL, WORK } from './span-rows.ts';

/** The spans, parents before children. */
export const SPANS = {
  'work.execute': {
    description: "One focus on one item: the root of its trace, linked to the submitter's span",
    kind: 'consumer',
    attributes: [
      ...WORK,
      'work.parent_id',
      'work.skill',
      'work.source',
      'work.priority',
      'work.attempt',
      'work.state',
      'work.focus_ended_as',
    ],
  },
  'work.orient': { description: 'The orient phase', kind: 'internal', attributes: WORK },
  'work.awareness.digest': {
    description:
      'The digest of other work for the first message; below `work.execute` where a focus begins in one statement',
    kind: 'internal',
    attributes: ['work.id', 'work.faculty', 'work.awareness.digest_tokens'],
  },
  'work.skills.auto_activate': {
    description:
      'The choice of skills for the first message; below `work.execute` where a focus begins in one statement',
    kind: 'internal',
    attributes: ['work.id', 'work.faculty', 'work.skills.activated'],
  },
  'work.engage': {
    description: 'The engage phase: all turns of the loop, the external command, or the code',
    kind: 'internal',
    attributes: [...WORK, 'gen_ai.request.model'],
  },
  'work.engage.iteration': {
    description: 'One turn: a model call and the tool calls it asked for',
    kind: 'internal',
    attributes: ['work.turn', 'work.stop_reason', 'work.parallel_tools'],
  },
  chat: {
    description: 'One model call, retries included',
    kind: 'client',
    suffix: 'gen_ai.request.model',
    attributes: [
      ...ASKED,
      'gen_ai.response.model',
      'gen_ai.response.id',
      'gen_ai.response.finish_reasons',
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.output_tokens',
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_creation.input_tokens',
      'work.usage.estimated',
    ],
  },
  embeddings: {
    description: 'Texts turned into vectors by a model, retries included',
    kind: 'client',
    suffix: 'gen_ai.request.model',
    attributes: [...ASKED, 'gen_ai.usage.input_tokens'],
  },
  'work.skills.propose': {
    description: 'One pass over the findings of all work, for those that recur; a trace of its own',
    kind: 'internal',
    attributes: ['work.skills.findings', 'work.skills.topics', 'work.skills.proposals'],
  },
  execute_tool: {
    description: 'One tool call; parallel calls overlap',
    kind: 'internal',
    suffix: 'gen_ai.tool.name',
    attributes: ['gen_ai.operation.name', ...TOOL_CALL],
  },
  execute_code: {
    description: 'Code of the model that runs in a sandbox; `work.sandbox.ended` says how it ended',
    kind: 'internal',
    attributes: ['work.turn', 'gen_ai.tool.call.id', 'work.sandbox.ended', 'work.sandbox.tool_calls'],
  },
  'sandbox.tool.call': {
    description: 'One tool call that code made; parallel calls overlap',
    kind: 'internal',
    attributes: TOOL_CALL,
  },
  'work.hook': {
    description: 'One run of a hook in the loop; its time-outs and failures are in `error.type`',
    kind: 'internal',
    suffix: 'work.hook.event',
    attributes: [
      'work.hook.event',
      'work.hook.name',
      'work.hook.decision',
      'work.turn',
      'gen_ai.tool.name',
      'gen_ai.tool.call.id',
    ],
  },
  'mcp.start': {
    description: 'The start of an MCP server for a focus, until its tools are known',
    kind: 'client',
    suffix: 'mcp.server',
    attributes: ['work.id', 'work.faculty', 'mcp.server'],
  },
  'work.consolidate': { description: 'The consolidate phase', kind: 'internal', attributes: WORK },
  'work.recover': {
    description: 'The recover phase, after a failure',
    kind: 'internal',
    attributes: [...WORK, 'work.attempt'],
  },
  'http.request': {
    description: 'One request to the API, below the span of the client if it sends a `traceparent`',
    kind: 'server',
    suffix: 'http.route',
    attributes: ['http.route', 'http.request.method', 'http.response.status_code'],
  },
} as const satisfies Record<string, SpanRow>;

export type SpanName = keyof typeof SPANS;
/** The attributes of a span with this name; null and undefined are left out. */
export type SpanAttributes<Name extends SpanName> = {
  readonly [Key in (typeof SPANS)[Name]['attributes'][number]]?: AttributeValue<Key> | null | undefined;
};

const GEN_AI = [...ASKED, 'gen_ai.response.model'] as const;

/** The metrics. */
export const METRICS = {
  'work.state_transitions': counter('{transition}', 'Changes of state made by this daemon', ['faculty', 'from', 'to']),
  'work.unroutable': gauge('{item}', 'Queued items of faculties that no live daemon serves', ['faculty']),
  'work.ends.refused': gauge('{item}', 'Work items whose end the database has refused in the last five minutes', []),
  'work.claims.failing': gauge(
    's',
    'How long nothing could be claimed although work is due; 0: work can be claimed',
    [],
  ),
  'work.claims.left_out': gauge('{item}', 'Items that this daemon cannot claim, and skips for a while', []),
  'work.queue.depth': gauge('{item}', 'Queued items, counted up to a cap', ['faculty']),
  'work.queue.oldest_age': gauge('s', 'Age of the oldest queued item', ['faculty']),
  'work.claim.latency': histogram('ms', 'From insert to claim, of items that are due at once', ['faculty'], LONG_MS),
  'work.focus.duration': histogram('ms', 'One focus, from claim to end', ['faculty', 'ended_as'], LONG_MS),
  'work.engage.iterations': histogram('{turn}', 'Turns of a focus', ['faculty'], TURNS),
  'work.engage.parallel_tools': histogram('{call}', 'Tool calls of one answer', ['faculty'], CALLS),
  'work.engage.overhead': histogram('ms', 'Time of a turn spent neither in the model nor in tools', ['faculty']),
  'work.context.blocks_closed': counter('{block}', 'Blocks closed by a step', ['faculty']),
  'work.context.blocks_truncated': counter('{block}', 'Closed blocks replaced by a stub', ['faculty']),
  'work.context.files_left_out': counter('{time}', 'Images and documents of earlier results left out of the context', [
    'faculty',
  ]),
  'work.context.compactions': counter('{compaction}', 'Compactions to the ledger', ['faculty']),
  'work.context.emergency_summarizations': counter('{summary}', 'Contexts summarised by a model', ['faculty']),
  'work.context.cache_hit_ratio': histogram('1', 'Share of input tokens read from the cache', ['faculty'], SHARE),
  'work.hook.runs': counter('{run}', 'Runs of hooks in the loop', ['faculty', 'event', 'hook', 'decision']),
  'work.hook.duration': histogram('ms', 'One run of a hook in the loop', ['faculty', 'event', 'hook'], HOOK_MS),
  'work.sandbox.executions': counter('{execution}', 'Executions of code, by how they ended', ['faculty', 'ended']),
  'work.sandbox.duration': histogram('ms', 'One execution of code, calls of tools included', ['faculty'], LONG_MS),
  'work.sandbox.tool_calls': counter('{call}', 'Tool calls that code made', ['faculty']),
  'work.sandbox.output_bytes': counter('By', 'What executions of code gave to models', ['faculty']),
  'work.sandbox.internal_bytes': counter('By', 'What tools gave to code', ['faculty']),
  'work.sandbox.start': histogram('ms', 'Until an execution has its container: from the pool, or a new one', ['from']),
  'work.sandbox.timeouts': counter('{execution}', 'Executions that did not end in time', []),
  'work.sandbox.errors': counter('{execution}', 'Executions without a container, or whose container was lost', [
    'ended',
  ]),
  'work.ledger.entries': counter('{entry}', 'Ledger entries written by foci and hooks', ['faculty', 'entry_type']),
  'work.awareness.digest_size': histogram('{token}', 'Size of a digest of other work, estimated', ['faculty'], TOKENS),
  'work.awareness.digest_latency': histogram(
    'ms',
    'From the request for a digest until it is there, shared or read',
    ['faculty'],
    DIGEST_MS,
  ),
  'work.mcp.starts': counter('{start}', 'Starts of MCP servers', ['faculty', 'server', 'result']),
  'work.batch.requests': counter('{request}', 'Requests in batches', ['provider', 'result']),
  'work.batch.duration': histogram(
    's',
    'From the making of a batch until its answers are stored',
    ['provider'],
    BATCH_S,
  ),
  'work.skills.activated': counter('{activation}', 'Skills that foci activated', ['faculty', 'reason']),
  'work.child.spawned': counter('{item}', 'Child work that foci spawned', ['faculty', 'child']),
  'work.child.await_duration': histogram('s', 'Waits for child work', ['faculty', 'result'], WAIT_S),
  'work.approvals.asked': counter('{request}', 'Requests to people: approvals and questions', ['faculty', 'subject']),
  'work.approvals.duration': histogram(
    's',
    'From a request to a person until the decision, or the deadline',
    ['faculty', 'decision'],
    BATCH_S,
  ),
  'work.permission.verdicts': counter('{call}', 'Verdicts of permissions about tool calls', ['risk', 'verdict']),
  'work.webhooks': counter('{delivery}', 'Attempts to deliver webhooks', ['result']),
  'work.memory.embeddings': counter('{memory}', 'Memories whose embedding was stored, refused or failed', ['result']),
  'work.skills.proposed': counter('{item}', 'Items submitted for the scribe because findings recur', []),
  'work.skills.created': counter('{skill}', 'Skills that work wrote', ['state']),
  'work.skills.stale': gauge('{skill}', 'Skills that no work has used for `skills.stale_days`', []),
  'work.skills.updated': counter('{skill}', 'Other versions of skills that work wrote', ['state']),
  'work.budget.warnings': counter('{warning}', 'Limits of which 80 % is used, each once', ['faculty', 'scope']),
  'work.budget.refusals': counter('{turn}', 'Turns that a limit refused: wait, die or busy', ['faculty', 'result']),
  'work.budget.spent': counter('{USD}', 'Cost of answers, as far as it is known', ['faculty', 'model']),
  'work.budget.estimated': counter('{USD}', 'Part of it: of answers without counts of tokens', ['faculty', 'model']),
  'work.budget.lost': counter('{USD}', 'What requests that returned nothing may have cost', ['faculty', 'model']),
  'work.budget.unpriced': counter('{call}', 'Answers and lost requests of unknown cost', ['faculty', 'model']),
  'daemon.loop.delay': gauge('s', 'Delay of the event loop in the last 30 s: `p99` and `max`', ['quantile']),
  'daemon.loop.blocked': histogram('s', 'How long the event loop was blocked, if a second or longer', [], WAIT_S),
  'gen_ai.client.token.usage': histogram(
    '{token}',
    'Tokens of one call',
    [...GEN_AI, 'gen_ai.token.type', 'estimated'],
    TOKENS,
  ),
  'gen_ai.client.operation.duration': histogram('s', 'One model call, retries included', GEN_AI, CALL_S),
  'gen_ai.client.operation.time_to_first_chunk': histogram('s', 'To the first streamed chunk', GEN_AI, CALL_S),
  'http.server.request.duration': histogram(
    's',
    'One request to the API; of a stream, until it begins',
    ['method', 'route', 'status'],
    CALL_S,
  ),
} as const satisfies Record<string, MetricRow>;
