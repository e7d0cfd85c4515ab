/** The recorded events of a conversation itself, each declared once, as work-events.ts does. */
import { z } from 'zod';
import { rowId, timeText } from '../../core/work/row-schemas.ts';
import { type EventType, leftOut } from './work-events.ts';

const by = z.string().nullable().describe('who did it');
const messageId = () => z.string().describe('the id of the message');

const message = {
  message_id: messageId(),
  number: z.int().describe('of the message in its conversation, from 1 on'),
  role: z.enum(['user', 'assistant', 'system']),
  author: z.string(),
  text: z.string().nullable().describe('the first 262,144 characters; null: it has been deleted since'),
  left_out: leftOut(),
  said_at: timeText().describe('of an imported message before the event'),
  after: z.string().nullable().describe('the message of a person before it on its branch; of an answer, its message'),
  replaces: z
    .string()
    .nullable()
    .describe('the message that an edit or a retry replaces, or the answer before a retry by an operator'),
  told: z.boolean().describe('it went into the answer of that item'),
  attachments: z
    .array(z.object({ id: rowId(), name: z.string(), media_type: z.string(), bytes: z.number() }))
    .readonly(),
};

export const CONVERSATION_EVENTS = {
  said: { when: 'somebody said something, or a message was imported', fields: message },
  answered: {
    when: 'an answer ended, and is a message of the conversation now. All events of its item, up to `done`, come before it',
    fields: { ...message, ended_as: z.string().describe('`completed`, `dead`, `cancelled`') },
  },
  deleted: { when: 'a message or an answer was deleted', fields: { message_id: messageId(), by } },
  retried: {
    when: 'an operator retried the answer to a message, which had failed or was cancelled',
    fields: { message_id: messageId(), by },
  },
  people: {
    when: 'somebody takes part from now on (`joined`), has another role, or no longer takes part',
    fields: {
      actor: z.string(),
      joined: z.boolean(),
      role: z.enum(['owner', 'member']).nullable().describe('from now on; null: they left, or before there were roles'),
      by,
    },
  },
  conversation: {
    when: 'faculty, title or `while_answering` were changed; these are the new ones',
    fields: { faculty: z.string(), title: z.string(), while_answering: z.enum(['queue', 'tell']), by },
  },
} as const satisfies Readonly<Record<string, EventType>>;
