/** The types of all events and hints, made of their declarations: one union for every reader (terminal, SSE, WebSocket), with names in camelCase. */
import type { z } from 'zod';
import type { CONVERSATION_EVENTS } from './conversation-events.ts';
import type { WORK_HINTS } from './hints.ts';
import type { WORK_EVENTS } from './work-events.ts';

/** What happened to a work item, from the tables. Texts are bounded where their fields say so; the whole is in the tables. */
export type EventBody = BodyOf<typeof WORK_EVENTS>;
/** What happened in a conversation itself. */
export type ConversationBody = BodyOf<typeof CONVERSATION_EVENTS>;
/** What is not recorded: pieces of texts and outputs as they arrive, and where an item is now. */
export type Hint = BodyOf<typeof WORK_HINTS> & { readonly live: true };

/** A recorded event and its time, in milliseconds since 1970 with fractions. */
export type WorkEvent = EventBody & { readonly workItemId: string; readonly atMs: number };
/** A recorded event of a conversation itself. `workItemId`: the item of the answer; null where there is none. */
export type ConversationEvent = ConversationBody & { readonly workItemId: string | null; readonly atMs: number };
/** What a stream consists of: that of a work item has only events of work, that of a conversation also those of its answers. */
export type AnyEvent = WorkEvent | ConversationEvent;

/** The event of a type, without its item and time. */
export type EventOf<Type extends EventBody['type']> = Extract<EventBody, { readonly type: Type }>;
export type HintOf<Type extends Hint['type']> = Extract<Hint, { readonly type: Type }>;

type BodyOf<Events extends Readonly<Record<string, { readonly fields: z.ZodRawShape }>>> = {
  [Type in keyof Events]: { readonly type: Type } & CamelCased<z.output<z.ZodObject<Events[Type]['fields']>>>;
}[keyof Events];

/** A field that may be missing is never there as undefined. */
type CamelCased<Fields> = { readonly [Name in keyof Fields as CamelCase<Name>]: Exclude<Fields[Name], undefined> };
type CamelCase<Name> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Extract<CamelCase<Rest>, string>>}`
  : Name;
