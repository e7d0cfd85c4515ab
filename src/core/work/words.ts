/**
 * The words that columns contain, each with what it means. This is the only place where they are declared: `npm run schema` writes them
 * into migrations/functions/01_words.sql and the tables of the docs. Words are never removed, because rows may contain them.
 */

/** The words of one column. */
export interface WordList {
  /** What the column says. */
  readonly meaning: string;
  /** `trigger`: any write of another word is refused. `function`: the functions that write the column refuse it, perhaps also a check constraint. */
  readonly checkedBy: 'trigger' | 'function';
  /** Each word with its meaning. */
  readonly words: Readonly<Record<string, string>>;
}

/** Every list, by `table.column`. */
export const WORDS = {
  'foci.phase': {
    meaning: 'the current phase of a focus',
    checkedBy: 'trigger',
    words: {
      orient: 'before the work: a hook may add context',
      engage: 'the work itself',
      consolidate: 'after the work: a hook may check, change or refuse the result',
      recover: 'after a failure: whether and when there is another attempt',
    },
  },
  'tool_calls.origin': {
    meaning: 'the origin of a call',
    checkedBy: 'trigger',
    words: { model: 'the model asked for it', sandbox: 'code of the model in a sandbox made it' },
  },
  'focus_messages.kind': {
    meaning: 'the kind of a message from the engine to the model',
    checkedBy: 'trigger',
    words: {
      orient: 'what the orient hook found',
      digest: 'other work that may matter',
      skill: 'a skill that became active',
      nudge: 'reminds the model of its ledger, or that its answer was empty',
      notice: 'what the model has to know, such as a limit that is near',
      operator: 'a message of a person',
      stub: 'replaces a finished block',
      summary: 'replaces everything before it',
      hook: 'the text of a hook in the loop',
      attachment: 'a file that came with the work',
      left_out: 'says that the images and documents of earlier results are left out from here on',
    },
  },
  'waits.kind': {
    meaning: 'what a call, or a turn, waits for',
    checkedBy: 'trigger',
    words: {
      children: 'child work',
      approval: 'the consent of a person',
      timer: 'a point in time',
      human: 'the answer of a person',
      batch: 'the answer of a batch API',
    },
  },
  'waits.subject': {
    meaning: 'what a person is asked to decide',
    checkedBy: 'trigger',
    words: {
      tool_call: 'whether a tool call may run',
      plan: 'not used yet',
      skill: 'whether a proposed skill is used',
      budget: 'whether work may cost more than its limit',
      deployment: 'not used yet',
      question: 'a question of the model',
      lost: 'acknowledges that something made by work is lost',
      provider: 'whether work goes on with another provider of its model',
    },
  },
  'hook_runs.event': {
    meaning: 'where a hook runs in the loop',
    checkedBy: 'trigger',
    words: {
      before_llm_call: 'before each request to the model',
      before_tool_call: 'before a call runs',
      after_tool_call: 'on the result of a call',
    },
  },
  'decisions.action': {
    meaning: 'the decision of a person',
    checkedBy: 'trigger',
    words: {
      approve: 'what was asked may happen',
      deny: 'it may not',
      steer: 'a message to work',
      answer: 'the answer to a question',
      cancel: 'work ends',
      retry: 'ended work is started again',
      change: 'work that had not begun got another priority, time or description',
      pause: 'no new work of a faculty begins',
      resume: 'it begins again',
      edit: 'the input of a call was changed before it was approved',
      erase: 'words were removed',
      grant: 'calls of one kind run without being asked about, or a person or a token may do something',
      revoke: 'takes that back',
      pin: 'the tools of an MCP server were accepted as they are',
      archive: 'a skill is no longer used',
      adopt: "a person's skill was handed over to the agents",
      rollback: 'an earlier version of a skill is current again',
      discard: 'the worktree of ended work was given up',
    },
  },
  'work_ledger.entry_type': {
    meaning: 'the kind of an entry in the ledger',
    checkedBy: 'function',
    words: {
      plan: 'what is to be done',
      finding: 'a fact',
      decision: 'what was chosen, and why',
      step: 'a part of the work that is done; it closes a block of the context',
      error: 'what went wrong',
      note: 'anything else',
    },
  },
  'people.role': {
    meaning: 'what a person may do, in ascending order; also of a token (`tokens.role`)',
    checkedBy: 'function',
    words: {
      submitter: 'sees and steers its own work',
      reader: 'also sees all work',
      operator: 'also decides what only operators may decide',
    },
  },
  'tokens.kind': {
    meaning: 'how a person shows it',
    checkedBy: 'function',
    words: {
      token: 'a program sends it as `Authorization: Bearer TOKEN`',
      session: 'a browser keeps it as a cookie, after a [login](console.md#login)',
    },
  },
  'tokens.scopes': {
    meaning: 'what a token can be used for',
    checkedBy: 'function',
    words: { read: 'to look', work: 'to submit and steer work', decide: 'to decide what operators decide' },
  },
  'webhooks.events': {
    meaning: 'what a webhook can subscribe to',
    checkedBy: 'function',
    words: {
      'work.queued': 'an item can be claimed',
      'work.scheduled': 'it waits for its time',
      'work.claimed': 'a daemon has taken it',
      'work.running': 'its focus runs',
      'work.waiting': 'it is parked until something happens',
      'work.completed': 'it has an outcome',
      'work.dead': 'it has failed and will not be tried again',
      'work.cancelled': 'it was ended by somebody',
      'work.merged': 'it is a duplicate of another one',
      'approval.waiting': 'an item waits for a person',
    },
  },
} as const satisfies Readonly<Record<string, WordList>>;

type ListName = keyof typeof WORDS;
/** A word of a list. */
export type Word<Name extends ListName> = keyof (typeof WORDS)[Name]['words'] & string;

/** The words of a list, in the order of the list. */
export function wordsOf<Name extends ListName>(list: Name): readonly Word<Name>[] {
  return Object.keys(WORDS[list].words) as Word<Name>[];
}

export type Phase = Word<'foci.phase'>;
export type MessageKind = Word<'focus_messages.kind'>;
export const WAIT_KINDS = wordsOf('waits.kind');
export type WaitKind = Word<'waits.kind'>;
export type WaitSubject = Word<'waits.subject'>;
export const HOOK_EVENTS = wordsOf('hook_runs.event');
export type HookEvent = Word<'hook_runs.event'>;
