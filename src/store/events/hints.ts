/** What readers of work get beside its recorded events: the hints, each declared once, as work-events.ts does. Those of a connection are in src/http/events. */
import { z } from 'zod';
import { rowId, timeText, WORK_STATE } from '../../core/work/row-schemas.ts';
import { WAITING_FIELDS } from '../../core/work/waiting-fields.ts';
import type { EventType } from './work-events.ts';

const ofTurn = { work_item_id: rowId(), focus: z.int(), turn: z.int() };
const waiting = z
  .object({ ...WAITING_FIELDS, since: timeText(), until: timeText().nullable() })
  .meta({ id: 'WaitingHint' });

/** `name` is that of its schema in the OpenAPI document. */
export interface HintDeclaration extends EventType {
  readonly name: string;
}

export const WORK_HINTS = {
  text: {
    name: 'TextHint',
    when: 'a piece of an answer as it arrives',
    fields: {
      ...ofTurn,
      from: z.int().describe('how many characters of the answer come before it; 0 starts it, perhaps again'),
      text: z.string(),
    },
  },
  withdrawn: {
    name: 'WithdrawnHint',
    when: 'the pieces of the `text` of this turn are void: its attempt was lost or failed, or the answer begins again (another try, a fallback to another model)',
    fields: ofTurn,
  },
  observation: {
    name: 'OutputHint',
    when: 'what the code of a call prints, as it comes',
    fields: {
      ...ofTurn,
      call_id: z.string(),
      stream: z.enum(['stdout', 'stderr']),
      from: z
        .int()
        .describe('how many characters of the stream come before it; more than were sent: some were left out'),
      text: z.string(),
    },
  },
  state: {
    name: 'StateHint',
    when: 'where the item is now, also `claimed`, `scheduled` or `waiting`; not how it ended, which `done` says',
    fields: {
      work_item_id: rowId(),
      state: WORK_STATE,
      waiting: waiting
        .nullable()
        .describe('why it does not go on now; null: it does. It comes again when that changes'),
    },
  },
} as const satisfies Readonly<Record<string, HintDeclaration>>;
