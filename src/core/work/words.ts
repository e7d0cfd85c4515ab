/**
 * The values of table columns that a part of animus can extend. Add a word here, in migrations/functions/01_words.sql and in
 * docs/sql-api.md; a test keeps the three equal. Words are never removed, because rows may contain them.
 */

/** The phase of a focus (`foci.phase`). */
export const PHASES = ['orient', 'engage', 'consolidate', 'recover'] as const;
export type Phase = (typeof PHASES)[number];

/** The origin of a call (`tool_calls.origin`): the model itself, or its code in a sandbox. */
const CALL_ORIGINS = ['model', 'sandbox'] as const;

/** The kind of a message to the model (`focus_messages.kind`). */
export const MESSAGE_KINDS = [
  'orient',
  'digest',
  'skill',
  'nudge',
  'notice',
  'operator',
  'stub',
  'summary',
  'hook',
  'attachment',
] as const;
export type MessageKind = (typeof MESSAGE_KINDS)[number];

/** What a call can wait for (`waits.kind`). */
export const WAIT_KINDS = ['children', 'approval', 'timer', 'human', 'batch'] as const;
export type WaitKind = (typeof WAIT_KINDS)[number];

/** What a person is asked to decide (`waits.subject`). */
const WAIT_SUBJECTS = ['tool_call', 'plan', 'skill', 'budget', 'deployment', 'question', 'lost', 'provider'] as const;
export type WaitSubject = (typeof WAIT_SUBJECTS)[number];

/** Where hooks stand in the loop (`hook_runs.event`). */
export const HOOK_EVENTS = ['before_llm_call', 'before_tool_call', 'after_tool_call'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** The action of a person's decision about work (`decisions.action`). */
const DECISION_ACTIONS = [
  'approve',
  'deny',
  'steer',
  'answer',
  'cancel',
  'retry',
  'pause',
  'resume',
  'edit',
  'erase',
  'grant',
  'revoke',
  'pin',
  'archive',
  'adopt',
  'rollback',
  'discard',
] as const;

/** Every list, by `table.column`. */
export const WORDS = {
  'foci.phase': PHASES,
  'tool_calls.origin': CALL_ORIGINS,
  'focus_messages.kind': MESSAGE_KINDS,
  'waits.kind': WAIT_KINDS,
  'waits.subject': WAIT_SUBJECTS,
  'hook_runs.event': HOOK_EVENTS,
  'decisions.action': DECISION_ACTIONS,
} as const satisfies Readonly<Record<string, readonly string[]>>;
