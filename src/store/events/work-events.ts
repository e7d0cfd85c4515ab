/**
 * The recorded events of a work item, each declared once: its type, when it happens, and its fields as they are sent. The types of TypeScript
 * (event.ts), the OpenAPI document, the client and the tables of docs/events.md are made of it.
 */
import { z } from 'zod';
import { rowId, timeText, WORK_STATE } from '../../core/work/row-schemas.ts';
import { WAIT_KINDS } from '../../core/work/words.ts';
import { LEDGER_TYPES } from '../../core/work/work.ts';

/** A type of event. `when` is for people, in Markdown; a field has a description where its name is not enough. */
export interface EventType {
  readonly when: string;
  readonly fields: z.ZodRawShape;
}

export const leftOut = () => z.int().optional().describe('how many characters come after these; only where some do');

const input = () => z.record(z.string(), z.unknown());
const ofTurn = { focus: z.int(), turn: z.int() };
const ofCall = {
  ...ofTurn,
  call_id: z.string(),
  parent_call_id: z.string().nullable().describe('the call whose code made it'),
  name: z.string(),
};

export const WORK_EVENTS = {
  state: {
    when: 'the work was submitted or retried (`queued`), a focus began or was resumed (`running`), a cancel was requested (`cancelling`)',
    fields: {
      state: z.enum([...WORK_STATE.options, 'cancelling']),
      focus: z.int().nullable().describe('its number'),
      resumed: z.boolean(),
      by: z.string().nullable().describe('who did it; null: the engine'),
      note: z.string().nullable(),
    },
  },
  turn: {
    when: 'the model answered; the parts of the answer follow',
    fields: {
      ...ofTurn,
      model: z.string().describe('provider/model'),
      stop_reason: z.string().nullable(),
      input_tokens: z.int().nullable(),
      output_tokens: z.int().nullable(),
      estimated: z.literal(true).optional().describe('the provider did not count the tokens; otherwise left out'),
      cost_usd: z.number().nullable().describe('null: not known'),
      duration_ms: z.number().nullable(),
    },
  },
  thought: {
    when: 'what the model thinks, as a part of the answer',
    fields: { ...ofTurn, text: z.string().describe('the first 262,144 characters'), left_out: leftOut() },
  },
  text: {
    when: 'what the model says, as a part of the answer',
    fields: {
      ...ofTurn,
      text: z.string().describe('the first 262,144 characters'),
      cut_off: z
        .literal(true)
        .optional()
        .describe(
          'what had been said when the work was cancelled: it has no `turn` before it, and replaces the pieces of that turn',
        ),
      left_out: leftOut(),
    },
  },
  call: {
    when: 'the model asks for a tool call, or its code makes one',
    fields: { ...ofCall, input: input().describe('above 16 KiB `{"cut": …}` with its beginning') },
  },
  observation: {
    when: 'a call ended',
    fields: {
      ...ofCall,
      input: input().nullable().describe('what it ran with, if a hook or a person changed it'),
      state: z.string(),
      is_error: z.boolean(),
      output: z.string().describe('the first 4,000 characters'),
      output_bytes: z.int(),
      duration_ms: z.number().nullable(),
    },
  },
  ledger: {
    when: 'an entry was written',
    fields: { seq: z.int(), entry_type: z.enum(LEDGER_TYPES), content: z.string() },
  },
  message: {
    when: 'somebody said something to the work, or it was delivered',
    fields: {
      message_id: z.int(),
      author: z.string(),
      author_is: z.string(),
      text: z.string().nullable().describe('null: in an earlier event'),
      wake: z.boolean(),
      delivered_with: z.int().nullable().describe('the turn that begins with it; null: not yet'),
    },
  },
  waiting: {
    when: 'a call waits for time, for child work or for a batch, or no longer does',
    fields: {
      call_id: z.string(),
      kind: z.enum(WAIT_KINDS),
      deadline: timeText().nullable(),
      result: z.string().nullable().describe('why it is over; null: it begins'),
    },
  },
  approval: {
    when: 'a person was asked (`asked`) or has decided (`approve`, `deny`, `answer`, `edit`), or the question was withdrawn (`closed`)',
    fields: {
      ask_id: rowId().nullable().describe('what a decision names; null of decisions from before version 0.3'),
      call_id: z.string().nullable(),
      status: z.enum(['asked', 'approve', 'deny', 'answer', 'edit', 'closed']),
      subject: z.string().nullable(),
      request: z.string().nullable().describe('JSON, the first 4,000 characters'),
      hash: z.string().nullable().describe('binds a decision to this request'),
      deadline: timeText().nullable(),
      by: z.string().nullable(),
      note: z.string().nullable(),
      result: z.string().nullable(),
    },
  },
  error: {
    when: 'an attempt failed, or its daemon was lost. Unless `done` follows, the work goes on',
    fields: { focus: z.int().nullable(), ended_as: z.string(), message: z.string().nullable() },
  },
  done: {
    when: 'the work ended. An operator can retry dead and cancelled work; then more follows',
    fields: {
      state: WORK_STATE,
      text: z
        .string()
        .optional()
        .describe(
          'of work that completed, what is kept of its texts: the first 262,144 characters; not in the stream of a conversation, where it comes with `answered`',
        ),
      left_out: leftOut(),
      summary: z.string().nullable(),
      error: z.string().nullable(),
      merged_into: rowId().nullable().describe('null also where the reader may not see that item'),
      cost_usd: z.number().nullable().describe('null: the cost of no call is known'),
      unpriced_calls: z.number().describe('calls whose cost is not known, which the sum does not include'),
    },
  },
} as const satisfies Readonly<Record<string, EventType>>;
