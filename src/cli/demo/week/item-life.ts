/** The acts of one work item, through the functions that daemons call. */
import { randomUUID } from 'node:crypto';
import type { ContentBlock } from '../../../core/work/conversation.ts';
import type { LedgerType } from '../../../core/work/work.ts';
import { toJsonb } from '../../../store/sql/json.ts';
import { beginTurn, type TurnBeginning } from '../../../store/transcript/begin-turn.ts';
import type { CallResult, RecordedCall } from '../../../store/transcript/calls.ts';
import { type FocusKey, setPhase, startFocus } from '../../../store/transcript/focus-row.ts';
import { appendLedger } from '../../../store/transcript/ledger.ts';
import { addMessage } from '../../../store/transcript/messages.ts';
import { recordTurn } from '../../../store/transcript/turns.ts';
import { type ClaimedWork, claimWork } from '../../../store/work/work.ts';
import { DAEMONS, type DemoFaculty, type DemoModel, type PersonKey, served, toolSpecs } from './cast.ts';
import { as, type Stage } from './stage.ts';

/** What is submitted. */
export interface Task {
  readonly faculty: DemoFaculty;
  readonly description: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly by: PersonKey | null;
  readonly source?: string;
  readonly priority?: number;
  readonly dedupKey?: string;
  readonly runAt?: number;
  readonly parentId?: string;
}

/** One turn: what the model says, and the calls that it makes, with their results. */
export interface Move {
  readonly says: string;
  readonly thinks?: string;
  readonly calls?: readonly DemoCall[];
}

export interface DemoCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Left out: it does not end in this turn, because it waits. */
  readonly output?: string;
  readonly failed?: boolean;
  readonly ms: number;
}

/** A call that was recorded. */
export interface NamedCall extends DemoCall {
  readonly id: string;
}

/** A claimed item with its focus. */
export interface Life extends FocusKey {
  readonly work: ClaimedWork;
  readonly faculty: DemoFaculty;
  readonly model: DemoModel;
  turn: number;
  /** Tokens of the context so far. */
  context: number;
  /** Ends of calls that are recorded with the beginning of the next turn. */
  results: readonly CallResult[];
  /** The call that waits. */
  open?: NamedCall;
}

export async function submit(stage: Stage, task: Task): Promise<string> {
  const { tx } = stage;
  const [row] = await as(stage, task.by, () =>
    tx.query<{ id: string }>(
      `select id from animus.submit_work(faculty => $1, description => $2, params => $3::jsonb, priority => $4, dedup_key => $5,
         run_at => to_timestamp($6::float8), parent_id => $7, source => $8)`,
      [
        task.faculty.name,
        task.description,
        toJsonb(task.params ?? {}),
        task.priority ?? 0,
        task.dedupKey ?? null,
        task.runAt === undefined ? null : task.runAt / 1000,
        task.parentId ?? null,
        task.source ?? (task.by === null ? 'sql' : 'http'),
      ],
    ),
  );
  return row!.id;
}

/** Long enough that no other claim of the week takes the item over. */
const LEASE_SECONDS = 10 * 24 * 3600;

/** Claims the item, and begins or resumes its focus. */
export async function take(stage: Stage, id: string, faculty: DemoFaculty, again?: Life): Promise<Life> {
  const { tx, random } = stage;
  const daemon = random.pick(DAEMONS);
  const work = await claim(stage, id, faculty, daemon.id);
  const row = await startFocus(tx, work, {
    host: daemon.host,
    directoryRoot: '/var/lib/animus/foci',
    ...settingsOf(faculty),
  });
  const key = { work, faculty, workItemId: id, leaseToken: work.leaseToken, focusId: row.id };
  if (again?.focusId === row.id) return { ...again, ...key };
  const life: Life = {
    ...key,
    model: random.pick(faculty.models),
    turn: 0,
    context: random.between(6000, 30_000),
    results: [],
  };
  await tell(stage, life, `# Task\n${work.description}`);
  await setPhase(tx, life, 'engage');
  return life;
}

/** A claim takes what is next in the queue: what it brings besides the item, its own story gets later. */
async function claim({ tx, claimed }: Stage, id: string, faculty: DemoFaculty, daemonId: string): Promise<ClaimedWork> {
  const offered = { [faculty.name]: { ...served()[faculty.name]!, max: 1_000_000 } };
  while (!claimed.has(id)) {
    const [work] = await claimWork(tx, daemonId, offered, 1, LEASE_SECONDS);
    if (work === undefined) throw new Error(`work item ${id} of ${faculty.name} cannot be claimed`);
    claimed.set(work.id, work);
  }
  const work = claimed.get(id)!;
  claimed.delete(id);
  return work;
}

/** Encoded once per faculty, by the identity of the snapshot. */
const SETTINGS = new Map<string, Omit<Parameters<typeof startFocus>[2], 'host' | 'directoryRoot'>>();

function settingsOf(faculty: DemoFaculty) {
  const known = SETTINGS.get(faculty.name);
  if (known) return known;
  const { name, description, models, max } = faculty;
  const model = `${models[0]!.provider}/${models[0]!.model}`;
  const facultySnapshot = { name, description, maxConcurrent: max, engage: { mode: 'builtin', model } };
  const settings = { facultySnapshot, systemPrompt: faculty.prompt, tools: toolSpecs(faculty) };
  SETTINGS.set(name, settings);
  return settings;
}

/** Adds a message of the engine to the context. */
export async function tell(stage: Stage, life: Life, content: string): Promise<void> {
  await addMessage(stage.tx, life, { afterTurn: life.turn, kind: 'orient', content }, Math.ceil(content.length / 4));
}

/** Begins a turn. It has begun, and its request is under way, if the permit is `go`. */
export async function begin(stage: Stage, life: Life, request: string): Promise<TurnBeginning> {
  const prompt = life.context + 20;
  const usd = cost(life.model, { input: prompt, output: 8192, cacheRead: 0, cacheWrite: 0 });
  const reservation = { usd, tokens: prompt + 8192, request };
  let begun = await beginTurn(stage.tx, life, life.turn + 1, reservation, life.results);
  life.results = [];
  if (begun.permit === 'mail') begun = await beginTurn(stage.tx, life, life.turn + 1, reservation, []);
  return begun;
}

/** Asks the model: one turn, which ends the calls that do not wait. Returns the permit of the turn; nothing is recorded unless it is `go`. */
export async function turn(stage: Stage, life: Life, move: Move): Promise<TurnBeginning> {
  const { tx, clock, random } = stage;
  const request = randomUUID();
  const prompt = life.context + 20;
  const begun = await begin(stage, life, request);
  if (begun.permit !== 'go') return begun;
  life.turn += 1;
  const calls = move.calls ?? [];
  const named = calls.map((call, n) => ({ ...call, id: `toolu_${life.turn}_${n + 1}_${request.slice(0, 6)}` }));
  const content: ContentBlock[] = [
    ...(move.thinks
      ? [{ type: 'thinking' as const, text: move.thinks, provider: life.model.provider, model: life.model.model }]
      : []),
    ...(move.says ? [{ type: 'text' as const, text: move.says }] : []),
    ...named.map(({ id, tool, input }) => ({ type: 'tool_call' as const, id, name: tool, input })),
  ];
  const output = Math.ceil(JSON.stringify(content).length / 3.6) + random.between(5, 90);
  const cacheRead = life.turn === 1 ? 0 : Math.floor(life.context * (0.86 + random.next() * 0.12));
  const usage = { input: prompt, output, cacheRead, cacheWrite: Math.floor((prompt - cacheRead) * 0.8), reasoning: 0 };
  const firstMs = random.between(350, 2200);
  const durationMs = firstMs + output * random.between(9, 16);
  clock.atMs += durationMs;
  const recorded: RecordedCall[] = named.map(({ id, tool, input }) => {
    return { callId: id, name: tool, input, finalInput: null, state: 'started', output: null, isError: false };
  });
  const answer = {
    provider: life.model.provider,
    model: life.model.model,
    responseId: `msg_${request.replaceAll('-', '').slice(0, 20)}`,
    content,
    stopReason: named.length > 0 ? ('tool_use' as const) : ('end_turn' as const),
    rawStopReason: null,
    cutToolCalls: [],
    usage,
    timeToFirstTokenMs: firstMs,
    durationMs,
  };
  const said = { turn: life.turn, ...answer, inputTokens: prompt, calls: recorded };
  await recordTurn(tx, life, said, answer, cost(life.model, usage));
  life.context += output + calls.reduce((sum, call) => sum + 12 + Math.ceil((call.output ?? '').length / 4), 0);
  await runCalls(stage, life, named);
  return begun;
}

/** Calls of one turn run side by side. */
async function runCalls(stage: Stage, life: Life, calls: readonly NamedCall[]): Promise<void> {
  const startMs = stage.clock.atMs;
  for (const { id, tool, input } of calls) {
    if (tool !== 'ledger_append') continue;
    const writer = { leaseToken: life.leaseToken, focusId: life.focusId, toolCallId: id };
    await appendLedger(stage.tx, life.workItemId, input['type'] as LedgerType, String(input['content']), writer);
  }
  const ended = calls.filter((call) => call.output !== undefined);
  life.results = ended.map((call) => resultOf(life, call, call.output!, call.failed === true ? 'failed' : 'done'));
  const open = calls.find((call) => call.output === undefined);
  if (open) life.open = open;
  stage.clock.atMs = startMs + Math.max(0, ...ended.map(({ ms }) => ms));
}

/** The end of a call of the newest turn. */
export function resultOf(life: Life, { id, ms }: NamedCall, output: string, state: CallResult['state']): CallResult {
  return { turn: life.turn, callId: id, state, output, isError: state !== 'done', details: null, durationMs: ms };
}

function cost(
  model: DemoModel,
  usage: { readonly input: number; readonly output: number; readonly cacheRead: number; readonly cacheWrite: number },
): number {
  const plain = usage.input - usage.cacheRead - usage.cacheWrite;
  const micro =
    plain * model.input +
    usage.output * model.output +
    usage.cacheRead * model.cacheRead +
    usage.cacheWrite * model.cacheWrite;
  return Number((micro / 1_000_000).toFixed(8));
}

/** A call that writes an entry into the ledger. */
export function note(type: LedgerType, content: string): DemoCall {
  return { tool: 'ledger_append', input: { type, content }, output: `recorded as ${type}`, ms: 4 };
}
