/** The shapes of messages and of the files that come with them. */
import { type RowOf, row } from '../../../operations/row.ts';
import type { Schemas } from '../../../operations/schemas.ts';
import { submittedItem } from '../../../operations/work-rows.ts';

/** Ids of messages are numbers, as texts because they may be too large for numbers. */
export const MESSAGE_ID = /^[1-9]\d{0,17}$/;
const messageId = ({ z }: Schemas) => z.string().regex(MESSAGE_ID);
const messageNumber = ({ z }: Schemas) =>
  z.int().min(1).describe('in its conversation, from 1 on: the number that people see');

export const file = row((s) =>
  s.z
    .object({
      id: s.id(),
      name: s.z.string(),
      media_type: s.z.string(),
      bytes: s.z.number(),
      path: s.z.string().describe('in the workspace'),
    })
    .meta({ id: 'ChatAttachment' }),
);

/** A file, and the message with which it came. */
export const attachedFile = row((s) =>
  file(s).extend({ created_at: s.time(), message_id: s.z.string() }).meta({ id: 'ChatFile' }),
);
export type AttachedFile = RowOf<typeof attachedFile>;

/** A message as people see it. */
export const message = row((s) =>
  s.z
    .object({
      id: messageId(s),
      number: messageNumber(s),
      role: s.z.enum(['user', 'assistant', 'system']),
      content: s.z.string(),
      author: s.z.string().describe('of an answer `faculty:NAME`'),
      created_at: s.time(),
      replaces: messageId(s).nullable().describe('the message that it replaces, after an edit or a retry'),
      work_item_id: s.id().nullable().describe('the item that answers it, or that gave the answer'),
      told: s.z.boolean().describe('it went into an answer that was being given'),
      ended_as: s.z.enum(['completed', 'dead', 'cancelled']).nullable().describe('of an answer'),
      state: s.workState().nullable().describe('of the item, now'),
      attachments: s.z.array(file(s)).nullable(),
    })
    .meta({ id: 'ChatMessage' }),
);

export interface ConversationMessage extends RowOf<typeof message> {
  /** The number of the message that it replaces. */
  readonly replaces_number: number | null;
}

/** A line of an export: `animus chat import` and `POST …/imports` read it again. */
export const exportedMessage = row((s) =>
  message(s)
    .omit({ id: true, replaces: true, work_item_id: true })
    .extend({
      id: s.z.int(),
      replaces: s.z.int().nullable().describe('the id of the message that it replaces'),
      work_item: s.id().nullable().describe('the item that answers it, or that gave the answer'),
    })
    .meta({ id: 'ExportedMessage' }),
);

/** A message that was added, and the item for its answer. */
export const saidMessage = row((s) =>
  s.z
    .object({
      message_id: messageId(s),
      number: messageNumber(s),
      work_item_id: s.id().describe('the item that answers it; if it was told, the one that it was told to'),
      told: s.z.boolean().describe('it went into the answer that is being given, and has no item of its own'),
      ...submittedItem(s),
    })
    .meta({ id: 'SaidMessage' }),
);
