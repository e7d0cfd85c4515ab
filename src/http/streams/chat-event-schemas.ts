/** The events of the stream of a conversation as they are sent, for the OpenAPI document. docs/events.md describes each type. */
import { z } from 'zod';
import { id } from '../../operations/schemas.ts';
import { WHILE_ANSWERING } from '../../store/conversations/conversations.ts';
import type { ConversationEvent } from '../../store/events/event.ts';
import { EVENTS_OF_WORK, type FieldOf, hint, leftOut, recorded, timeText } from './event-schemas.ts';

const by = z.string().nullable().describe('who did it');
const messageId = () => z.string().describe('the id of the message');

const message = {
  message_id: messageId(),
  number: z.int().describe('of the message in its conversation, from 1 on'),
  role: z.enum(['user', 'assistant', 'system']),
  author: z.string(),
  text: z.string().nullable().describe('its first 262,144 characters; null: it has been deleted since'),
  left_out: leftOut(),
  said_at: timeText(),
  after: z.string().nullable().describe('the message of a person before it on its branch; of an answer, its message'),
  replaces: z.string().nullable().describe('the message that an edit or a retry stands for, or the earlier answer'),
  told: z.boolean().describe('it went into the answer of that item'),
  attachments: z.array(z.object({ id: id(), name: z.string(), media_type: z.string(), bytes: z.number() })),
};

/** Those of the conversation itself, by type. */
const BODIES = {
  said: message,
  answered: { ...message, ended_as: z.string() },
  deleted: { message_id: messageId(), by },
  retried: { message_id: messageId(), by },
  people: {
    actor: z.string(),
    joined: z.boolean(),
    role: z.enum(['owner', 'member']).nullable().describe('from now on; null: they left, or before there were roles'),
    by,
  },
  conversation: { faculty: z.string(), title: z.string(), while_answering: z.enum(WHILE_ANSWERING), by },
} as const satisfies {
  readonly [Type in ConversationEvent['type']]: Readonly<Record<FieldOf<Type, ConversationEvent>, z.ZodType>>;
};

/** What the stream of a conversation sends: its own events, those of its answers, and hints. */
export const chatEvent = z
  .union([
    ...Object.entries(BODIES).map(([type, body]) => recorded(type, body, id().nullable())),
    ...EVENTS_OF_WORK,
    hint('missed', { chat_id: id() })
      .describe('the reader was too slow: hints were left out')
      .meta({ id: 'ChatMissedHint' }),
    hint('position', { id: z.string().describe('a reader goes on after it') })
      .describe('where the reader is, after `after=now`: the only hint with an id')
      .meta({ id: 'PositionHint' }),
  ])
  .meta({ id: 'ChatEvent' });
