/** The events of the streams as they are sent, for the OpenAPI document. docs/events.md describes each type. */
import { z } from 'zod';
import { WAIT_KINDS } from '../../core/work/words.ts';
import { LEDGER_TYPES } from '../../core/work/work.ts';
import { id, jsonObject, workState } from '../../operations/schemas.ts';
import type { WorkEvent } from '../../store/events/event.ts';
import type { HintType } from '../events/frame.ts';
import { errorCode } from '../route/error-code.ts';
import { WAITING } from '../route/work-schemas.ts';

export const timeText = () => z.string().meta({ format: 'date-time' });
const { work_items: others, ...plain } = WAITING;
export const leftOut = () => z.int().optional().describe('how many characters come after these');
const times = { since: timeText(), until: timeText().nullable() };
const waiting = z.object({ ...plain, ...times }).meta({ id: 'WaitingHint' });
const ofCall = {
  focus: z.int(),
  turn: z.int(),
  call_id: z.string(),
  parent_call_id: z.string().nullable(),
  name: z.string(),
};

/** Those that are recorded, by type. */
const BODIES = {
  state: {
    state: z.enum([...workState().options, 'cancelling']),
    focus: z.int().nullable(),
    resumed: z.boolean(),
    by: z.string().nullable().describe('who did it; null: the engine'),
    note: z.string().nullable(),
  },
  turn: {
    focus: z.int(),
    turn: z.int(),
    model: z.string().describe('provider/model'),
    stop_reason: z.string().nullable(),
    input_tokens: z.int().nullable(),
    output_tokens: z.int().nullable(),
    estimated: z.literal(true).optional().describe('the provider did not count the tokens'),
    cost_usd: z.number().nullable().describe('null: not known'),
    duration_ms: z.number().nullable(),
  },
  thought: { focus: z.int(), turn: z.int(), text: z.string(), left_out: leftOut() },
  text: {
    focus: z.int(),
    turn: z.int(),
    text: z.string(),
    cut_off: z.literal(true).optional().describe('what had been said when the work was cancelled: no turn has it'),
    left_out: leftOut(),
  },
  call: { ...ofCall, input: jsonObject().describe('above 16 KiB `{"cut": …}` with its beginning') },
  observation: {
    ...ofCall,
    input: jsonObject().nullable().describe('what it ran with, if a hook or a person changed it'),
    state: z.string(),
    is_error: z.boolean(),
    output: z.string().describe('its first 4,000 characters'),
    output_bytes: z.int(),
    duration_ms: z.number().nullable(),
  },
  ledger: { seq: z.int(), entry_type: z.enum(LEDGER_TYPES), content: z.string() },
  message: {
    message_id: z.int(),
    author: z.string(),
    author_is: z.string(),
    text: z.string().nullable().describe('null: in an earlier event'),
    wake: z.boolean(),
    delivered_with: z.int().nullable().describe('the turn that begins with it; null: not yet'),
  },
  waiting: {
    call_id: z.string(),
    kind: z.enum(WAIT_KINDS),
    deadline: timeText().nullable(),
    result: z.string().nullable().describe('why it is over; null: it begins'),
  },
  approval: {
    ask_id: id().nullable().describe('what a decision names'),
    call_id: z.string().nullable(),
    status: z.enum(['asked', 'approve', 'deny', 'answer', 'edit', 'closed']),
    subject: z.string().nullable(),
    request: z.string().nullable().describe('JSON, its first 4,000 characters'),
    hash: z.string().nullable().describe('binds a decision to this request'),
    deadline: timeText().nullable(),
    by: z.string().nullable(),
    note: z.string().nullable(),
    result: z.string().nullable(),
  },
  error: { focus: z.int().nullable(), ended_as: z.string(), message: z.string().nullable() },
  done: {
    state: workState(),
    text: z
      .string()
      .optional()
      .describe('of work that completed, what stays of its texts; not in the stream of a conversation'),
    left_out: leftOut(),
    summary: z.string().nullable(),
    error: z.string().nullable(),
    merged_into: id().nullable(),
    cost_usd: z.number().nullable().describe('null: the cost of no call is known'),
    unpriced_calls: z.number().describe('calls whose cost is not known, which the sum is without'),
  },
} as const satisfies { readonly [Type in WorkEvent['type']]: Readonly<Record<FieldOf<Type, WorkEvent>, z.ZodType>> };

/** The names of the fields of an event as they are sent. */
export type FieldOf<Type extends string, Event> = Event extends { readonly type: infer Types }
  ? Type extends Types
    ? SnakeCase<Exclude<keyof Event, 'type' | 'workItemId' | 'atMs'>>
    : never
  : never;
type SnakeCase<Name> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

const NAME = /^./;
const typeName = (type: string) => type.replace(NAME, (letter) => letter.toUpperCase());

/** The schema of an event that is recorded. */
export const recorded = (type: string, body: z.ZodRawShape, workItemId: z.ZodType) =>
  z
    .object({
      type: z.literal(type),
      id: z.string().describe('a reader goes on after it'),
      at: timeText(),
      work_item_id: workItemId,
      ...body,
    })
    .meta({ id: `${typeName(type)}Event` });

/** The schema of what is not recorded. */
export const hint = <Type extends HintType, Body extends z.ZodRawShape>(type: Type, body: Body) =>
  z.object({ type: z.literal(type), live: z.literal(true), ...body });

const missedHint = hint('missed', { work_item_id: id() })
  .describe('the reader was too slow: hints were left out')
  .meta({ id: 'MissedHint' });
const closed = hint('closed', { code: errorCode })
  .describe('the server ends the stream early')
  .meta({ id: 'ClosedHint' });

/** What the streams of work and of conversations have in common. */
export const EVENTS_OF_WORK = [
  ...Object.entries(BODIES).map(([type, body]) => recorded(type, body, id())),
  hint('text', {
    work_item_id: id(),
    focus: z.int(),
    turn: z.int(),
    from: z.int().describe('how many characters of the answer come before it; 0 starts it, perhaps again'),
    text: z.string(),
  }).meta({ id: 'TextHint' }),
  hint('withdrawn', { work_item_id: id(), focus: z.int(), turn: z.int() })
    .describe('the pieces of the text of this turn are void: its attempt was lost, or the answer begins again')
    .meta({ id: 'WithdrawnHint' }),
  hint('observation', {
    work_item_id: id(),
    focus: z.int(),
    turn: z.int(),
    call_id: z.string(),
    stream: z.enum(['stdout', 'stderr']),
    from: z.int().describe('how many characters of the stream come before it; more than were sent: some were left out'),
    text: z.string(),
  })
    .describe('what the code of a call prints, as it comes')
    .meta({ id: 'OutputHint' }),
  hint('state', {
    work_item_id: id(),
    state: workState(),
    waiting: waiting.nullable().describe('why it does not go on now; null: it does'),
  }).meta({ id: 'StateHint' }),
  closed,
] as const;

/** What the stream of a work item sends: what is recorded, and hints. */
export const workEvent = z.union([...EVENTS_OF_WORK, missedHint]).meta({ id: 'WorkEvent' });

const workNow = {
  work_item_id: id(),
  faculty: z.string(),
  state: workState(),
  description: z.string(),
  parent_id: id().nullable(),
  merged_into: id().nullable(),
  created_at: timeText(),
  resolved_at: timeText().nullable(),
  waiting: z
    .object({ ...plain, ...times, work_items: others })
    .meta({ id: 'WaitingNow' })
    .nullable()
    .describe('why it does not go on now; null: it does, or has ended'),
};

/** What the stream of all work sends. */
export const statesEvent = z
  .union([
    hint('snapshot', { missed: z.boolean(), items: z.array(z.object(workNow).meta({ id: 'WorkNow' })) }).meta({
      id: 'SnapshotHint',
    }),
    hint('state', workNow).describe('another state').meta({ id: 'WorkStateHint' }),
    hint('done', workNow).describe('it ended').meta({ id: 'WorkDoneHint' }),
    closed,
  ])
  .meta({ id: 'StatesEvent' });
