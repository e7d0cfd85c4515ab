/** What the streams send, for the OpenAPI document: made of the declarations of events and hints, which also make the tables of docs/events.md. */
import { z } from 'zod';
import { rowId, timeText } from '../../core/work/row-schemas.ts';
import { CONVERSATION_EVENTS } from '../../store/events/conversation-events.ts';
import { type HintDeclaration, WORK_HINTS } from '../../store/events/hints.ts';
import { type EventType, WORK_EVENTS } from '../../store/events/work-events.ts';
import { CONVERSATION_MISSED, STATES_HINTS, STREAM_HINTS } from '../events/stream-hints.ts';

const typeName = (type: string) => `${type[0]!.toUpperCase()}${type.slice(1)}`;

/** The schemas of events that are recorded. */
const recorded = (events: Readonly<Record<string, EventType>>, workItemId: z.ZodType) =>
  Object.entries(events).map(([type, { when, fields }]) =>
    z
      .object({
        type: z.literal(type),
        id: z.string().describe('a reader goes on after it'),
        at: timeText(),
        work_item_id: workItemId,
        ...fields,
      })
      .describe(when)
      .meta({ id: `${typeName(type)}Event` }),
  );

/** The schema of what is not recorded. */
const hint = (type: string, { name, when, fields }: HintDeclaration) =>
  z
    .object({ type: z.literal(type), live: z.literal(true), ...fields })
    .describe(when)
    .meta({ id: name });
const hints = (declared: Readonly<Record<string, HintDeclaration>>) =>
  Object.entries(declared).map(([type, one]) => hint(type, one));

const position = hint('position', STREAM_HINTS.position);
const closed = hint('closed', STREAM_HINTS.closed);
/** What the streams of work and of conversations have in common. */
const ofWork = [...recorded(WORK_EVENTS, rowId()), ...hints(WORK_HINTS), closed];

/** What the stream of a work item sends: what is recorded, and hints. */
export const workEvent = z
  .union([...ofWork, hint('missed', STREAM_HINTS.missed), position, hint('submitted', STREAM_HINTS.submitted)])
  .meta({ id: 'WorkEvent' });

/** What the stream of a conversation sends: its own events, those of its answers, and hints. */
export const chatEvent = z
  .union([
    ...recorded(CONVERSATION_EVENTS, rowId().nullable()),
    ...ofWork,
    hint('missed', CONVERSATION_MISSED),
    position,
  ])
  .meta({ id: 'ChatEvent' });

/** What the stream of all work sends. */
export const statesEvent = z.union([...hints(STATES_HINTS), closed]).meta({ id: 'StatesEvent' });
