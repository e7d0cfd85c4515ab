/** What a client may send over a WebSocket: JSON objects, one per message. */
import { z } from 'zod';

/** Chosen by the client; every answer to it has it. */
const name = z.string().min(1).max(100);
const work = z.uuid();
/** What is decided, and so the version that was seen. */
const askId = z.uuid();
const hash = z.string().max(128).optional();
const note = z.string().max(10_000).optional();

const SUBSCRIBE = z.strictObject({
  type: z.literal('subscribe'),
  name,
  /** Of a work item, or of a conversation; without either: the states of all work. */
  work: work.optional(),
  chat: z.uuid().optional(),
  /** The id of the last event that was read; without it, from the beginning. `now`: what comes, of a conversation. */
  after: z.string().min(1).optional(),
});
const subscribe = SUBSCRIBE.refine(({ work: item, chat }) => item === undefined || chat === undefined, {
  error: 'work or chat, not both',
});
const unsubscribe = z.strictObject({ type: z.literal('unsubscribe'), name });
/** Browsers show nobody the pings of the protocol. */
const ping = z.strictObject({ type: z.literal('ping'), name });
const command = { type: z.literal('command'), name, work };

const COMMAND = z.discriminatedUnion('do', [
  z.strictObject({ ...command, do: z.literal('say'), text: z.string(), wake: z.boolean().optional() }),
  z.strictObject({ ...command, do: z.literal('cancel'), reason: z.string().max(10_000).optional() }),
  z.strictObject({ ...command, do: z.literal('approve'), ask_id: askId, note, hash }),
  z.strictObject({ ...command, do: z.literal('deny'), ask_id: askId, note, hash }),
  z.strictObject({ ...command, do: z.literal('answer'), ask_id: askId, text: z.string() }),
]);

export const CLIENT_MESSAGE = z.union([subscribe, unsubscribe, ping, COMMAND]);

export type Command = z.infer<typeof COMMAND>;
export type Subscribe = z.infer<typeof subscribe>;
