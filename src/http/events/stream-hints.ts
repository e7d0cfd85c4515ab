/** The hints that are about a connection or about all work, each declared once; those about a work item are in src/store/events/hints.ts. */
import { z } from 'zod';
import { rowId, timeText, WORK_STATE } from '../../core/work/row-schemas.ts';
import { WAITING_FIELDS } from '../../core/work/waiting-fields.ts';
import type { HintDeclaration, WORK_HINTS } from '../../store/events/hints.ts';
import { errorCode } from './error-code.ts';

const missed = 'the reader was too slow: hints were left out. Recorded events follow without a gap';

/** Those of a connection that reads a work item or a conversation. */
export const STREAM_HINTS = {
  missed: { name: 'MissedHint', when: missed, fields: { work_item_id: rowId() } },
  closed: {
    name: 'ClosedHint',
    when: 'the server ends the stream early: an error such as `http.unauthorized` after the token was revoked, or `work.not_found` after one was removed from a conversation',
    fields: { code: errorCode },
  },
  submitted: {
    name: 'SubmittedHint',
    when: 'first, of a request that submits work and accepts an event stream',
    fields: { work: z.record(z.string(), z.unknown()).describe('what the request answers otherwise') },
  },
  position: {
    name: 'PositionHint',
    when: 'where the reader is, after `after=now`. The only hint with an id',
    fields: { id: z.string().describe('a reader goes on after it') },
  },
} as const satisfies Readonly<Record<string, HintDeclaration>>;

/** `missed` of a conversation. */
export const CONVERSATION_MISSED = {
  name: 'ChatMissedHint',
  when: missed,
  fields: { chat_id: rowId() },
} as const satisfies HintDeclaration;

const waiting = z
  .object({
    ...WAITING_FIELDS,
    since: timeText(),
    until: timeText().nullable(),
    work_items: z.array(rowId()).describe('what goes first or is awaited, as far as you may see it; at most 20'),
  })
  .meta({ id: 'WaitingNow' });

const workNow = {
  work_item_id: rowId(),
  faculty: z.string(),
  state: WORK_STATE,
  description: z.string(),
  parent_id: rowId().nullable(),
  merged_into: rowId().nullable(),
  created_at: timeText(),
  resolved_at: timeText().nullable(),
  waiting: waiting.nullable().describe('why it does not go on now; null: it does, or has ended'),
};

/** Those of all work. */
export const STATES_HINTS = {
  snapshot: {
    name: 'SnapshotHint',
    when: 'the states of all work that you may see, first and after a new connection; `missed`: also after one that was too slow',
    fields: { missed: z.boolean(), items: z.array(z.object(workNow).meta({ id: 'WorkNow' })) },
  },
  state: { name: 'WorkStateHint', when: 'another state, or another reason why it waits', fields: workNow },
  done: { name: 'WorkDoneHint', when: 'it ended', fields: workNow },
} as const satisfies Readonly<Record<string, HintDeclaration>>;

/** The types of all hints. */
export type HintType = keyof typeof WORK_HINTS | keyof typeof STREAM_HINTS | keyof typeof STATES_HINTS;
