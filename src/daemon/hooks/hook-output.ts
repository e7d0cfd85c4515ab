/**
 * The input and output of hooks, per phase. The schemas are strict, so that a misspelt field is reported and not
 * ignored.
 */
import { z } from 'zod';
import { schemaProblems } from '../../core/errors/schema-problems.ts';
import { textBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { HOOK_EVENTS, type HookEvent } from '../../core/work/words.ts';
import { LEDGER_TYPES } from '../../core/work/work.ts';
import { MEMORY_LAYERS } from '../../store/memory/memories.ts';
import { printedSkill } from '../../tools/skills/writing/draft.ts';
import { eachChecked, lostEntry, type WrongEntry } from './printed-entries.ts';

const json = z.json();
const entry = z.strictObject({ type: z.enum(LEDGER_TYPES), content: z.string().min(1) });
const entries = z.array(entry).max(100);
const ledger = entries.optional();
/** Of a hook that runs when the work is done. */
const lateLedger = eachChecked(
  entry,
  100,
  ({ problem, printed }): z.infer<typeof entry> => ({
    type: 'error',
    content: lostEntry('an entry that a hook printed for the ledger is wrong', problem, printed),
  }),
).optional();
/** As the tool memory_store takes it. */
const memory = z.strictObject({
  content: z.string().trim().min(1).max(8000),
  layer: z.enum(MEMORY_LAYERS).default('global'),
  kind: z
    .string()
    .regex(/^[a-z][a-z0-9_-]{0,49}$/)
    .optional(),
  project: z.string().trim().min(1).max(200).optional(),
  tags: z.array(z.string().trim().min(1).max(100)).max(20).optional(),
  metadata: z.record(z.string(), json).optional(),
});

const asItIs = (wrong: WrongEntry) => wrong;

/** The longest message that a hook may add to the context, in characters. */
const MAX_APPENDED = 65_536;

/** The answer of a hook in the loop: `modify` has a patch, the other decisions have none. */
function decisionWith<Patch extends z.ZodType>(patch: Patch) {
  const reason = z.string().optional();
  return z.discriminatedUnion('decision', [
    z.strictObject({ decision: z.literal('allow'), reason, ledger }),
    z.strictObject({ decision: z.literal('block'), reason, ledger }),
    z.strictObject({ decision: z.literal('modify'), reason, patch, ledger }),
  ]);
}

const OUTPUTS = {
  orient: z.strictObject({
    context: z.string().optional(),
    params: z.record(z.string(), json).optional(),
    ledger,
  }),
  engage: z.strictObject({ outcome: json, summary: z.string().optional(), ledger: lateLedger }),
  consolidate: z.strictObject({
    outcome: json.optional(),
    summary: z.string().optional(),
    memories: eachChecked(memory, 100, asItIs).optional(),
    skills: eachChecked(printedSkill, 20, asItIs).optional(),
    ledger: lateLedger,
  }),
  recover: z.strictObject({
    action: z.enum(['retry', 'dead']),
    delay_seconds: z.number().min(0).max(31_536_000).optional(),
    keep: z.enum(['ledger', 'transcript', 'nothing']).optional(),
    ledger: lateLedger,
  }),
  before_llm_call: decisionWith(z.strictObject({ append: z.string().regex(/\S/).max(MAX_APPENDED) })),
  before_tool_call: decisionWith(z.record(z.string(), json)),
  after_tool_call: decisionWith(
    z.strictObject({
      content: z.string().optional(),
      is_error: z.boolean().optional(),
      details: z.record(z.string(), json).nullable().optional(),
    }),
  ),
} as const;

/** Where a hook stands: the phases that can run a command (`engage` only in faculties of mode `external`), and the events of the loop. */
export type HookPoint = keyof typeof OUTPUTS;

/** The phases that can run a command. */
export type HookPhase = Exclude<HookPoint, HookEvent>;

/** Entries that a hook adds to the ledger. */
export type HookLedger = z.infer<typeof entries>;

/** A validated answer. */
export type HookOutput = { readonly [P in HookPoint]: z.infer<(typeof OUTPUTS)[P]> };

type Json = z.infer<typeof json>;
interface HookBase {
  readonly work_item: Json;
  /** Who reads the context of the work, or hears its answer. */
  readonly readers: Json;
  readonly faculty: Json;
  readonly ledger: Json;
}

/** The object on a hook's stdin. */
export interface HookInput {
  readonly orient: HookBase;
  readonly engage: HookBase & { readonly context: string };
  readonly consolidate: HookBase & { readonly outcome: Json; readonly final_text: string; readonly children: Json };
  readonly recover: HookBase & { readonly phase: string; readonly error: Json; readonly attempt: number };
  readonly before_llm_call: LoopBase & {
    readonly model: string;
    readonly tools: readonly string[];
    readonly messages: readonly unknown[];
    readonly omitted_messages: number;
  };
  readonly before_tool_call: LoopBase & { readonly call: HookCallFacts };
  readonly after_tool_call: LoopBase & { readonly call: HookCallFacts; readonly result: HookCallResult };
}

/** What every hook in the loop gets. */
interface LoopBase extends Omit<HookBase, 'ledger'> {
  readonly event: HookEvent;
  readonly turn: number;
}

/** A call, as hooks see it. */
export interface HookCallFacts {
  readonly id: string;
  readonly tool: string;
  readonly risk: string;
  readonly input: unknown;
}

/** The result of a call, as hooks see it; a merge patch applies to this object. */
export interface HookCallResult {
  readonly content: string;
  readonly is_error: boolean;
  readonly details: Readonly<Record<string, unknown>> | null;
}

/**
 * Parses what a hook printed: null for no output, which means "proceed" except for engage, which must print an outcome.
 * Text that does not start with `{` is context for orient, and a problem elsewhere. A loop's hook that says "block" has blocked, whatever else is
 * wrong with its output.
 */
export function parseHookOutput<P extends HookPoint>(
  point: P,
  printed: string,
): { readonly output: HookOutput[P] | null } | { readonly problem: string } {
  const text = printed.replace(/^\uFEFF/, '').trim();
  if (text === '')
    return point === 'engage' ? { problem: 'nothing; an external engage must print {"outcome": …}' } : { output: null };
  if (!text.startsWith('{')) {
    if (text.includes('\0')) return { problem: 'binary data' };
    if (point === 'orient') return { output: OUTPUTS.orient.parse({ context: text }) as HookOutput[P] };
    return { problem: `text that is not a JSON object: ${excerpt(text)}` };
  }
  const value = parseJson(text);
  if ('problem' in value) return value;
  const checked = OUTPUTS[point].safeParse(value.parsed);
  if (checked.success) return { output: checked.data as HookOutput[P] };
  const problem = schemaProblems(checked.error);
  const { decision, reason } = value.parsed as { readonly decision?: unknown; readonly reason?: unknown };
  if (!isEvent(point) || decision !== 'block') return { problem };
  const why = typeof reason === 'string' ? `${reason} ` : '';
  return { output: { decision, reason: `${why}(its output is wrong: ${problem})` } as HookOutput[P] };
}

/** Whether it is an event of the loop, and no phase. */
export function isEvent(point: HookPoint): boolean {
  return (HOOK_EVENTS as readonly string[]).includes(point);
}

/**
 * Parses the output of a hook that refused by its exit code: only its ledger entries count. It may print nothing, or its usual
 * answer. Text that is not JSON is a problem when it begins an object, otherwise it is taken for log output on the wrong
 * stream.
 */
export function parseBlockedOutput(printed: string): { readonly ledger: HookLedger } | { readonly problem: string } {
  const text = printed.replace(/^\uFEFF/, '').trim();
  if (!text.startsWith('{')) return { ledger: [] };
  const value = parseJson(text);
  if ('problem' in value) return value;
  const checked = z.looseObject({ ledger }).safeParse(value.parsed);
  return checked.success ? { ledger: checked.data.ledger ?? [] } : { problem: schemaProblems(checked.error) };
}

function parseJson(text: string): { readonly parsed: unknown } | { readonly problem: string } {
  try {
    const beyond = textBeyond(text, JSON_LIMITS.hookOutput);
    if (beyond !== null) return { problem: `${beyond}: ${excerpt(text)}` };
    const parsed: unknown = JSON.parse(text, refuseUnstorable);
    return { parsed };
  } catch (error) {
    return { problem: `broken JSON (${(error as Error).message}): ${excerpt(text)}` };
  }
}

/** Values that neither text nor jsonb of Postgres can store. */
function refuseUnstorable(_key: string, value: unknown): unknown {
  if (typeof value === 'string' && value.includes('\0')) throw new Error('a string contains a NUL character');
  if (typeof value === 'string' && !value.isWellFormed()) throw new Error('a string contains half of a surrogate pair');
  return value;
}

function excerpt(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 200).toWellFormed()}…`;
}
