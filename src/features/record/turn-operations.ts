/** One turn, one call, and all of them without their contents. */
import { AnimusError } from '../../core/errors/errors.ts';
import { cursor, readCursor, writeCursor } from '../../operations/cursor.ts';
import { id, optional, text, whole } from '../../operations/fields.ts';
import { operation } from '../../operations/operation.ts';
import { pageOf } from '../../operations/page-of.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { requireVisibleWork } from '../../store/views/views-of-login.ts';
import { sentRequest } from './sent-request.ts';
import { call, turn } from './store.ts';
import { readTimeline, timelineTurn } from './timeline.ts';
import { findTurn, readCall } from './turn.ts';

const ofItem = { tag: 'record', scope: 'read', errors: ['work.not_found'] } as const;
const number = whole({ min: 1, max: 2_147_483_647, description: 'the number of the turn in its focus' });
const focus = optional(
  id({ description: 'the focus of the turn; default: the newest one that has a turn of this number' }),
);

export const showTurn = operation({
  ...ofItem,
  name: 'showTurn',
  summary: 'One turn of an item: the answer of the model',
  http: { method: 'GET', path: '/work/{id}/turns/{turn}' },
  input: { id: id(), turn: number, focus_id: focus },
  output: turn,
  run: ({ tx }, input) => turnOf(tx, input),
});

export const showRequest = operation({
  ...ofItem,
  name: 'showTurnRequest',
  summary: 'What the model was sent for a turn, as blocks, and which turns compaction has replaced',
  http: { method: 'GET', path: '/work/{id}/turns/{turn}/request' },
  input: { id: id(), turn: number, focus_id: focus },
  output: sentRequest,
  async run({ tx }, input) {
    const { focus_id: focusId } = await turnOf(tx, input);
    // A command that reads the ledger loads nothing of the engine.
    const { readSentRequest } = await import('./read-sent.ts');
    return (await readSentRequest(tx, input.id, focusId, input.turn)) ?? missing(input.turn);
  },
});

export const showCall = operation({
  ...ofItem,
  name: 'showToolCall',
  summary: 'One tool call of an item, whole',
  http: { method: 'GET', path: '/work/{id}/turns/{turn}/calls/{call_id}' },
  input: {
    id: id(),
    turn: number,
    call_id: text({ min: 1, max: 1000, description: 'the id of the call, as its provider has named it' }),
    focus_id: focus,
  },
  output: call,
  async run({ tx }, input) {
    const { focus_id: focusId } = await turnOf(tx, input);
    const found = await readCall(tx, input.id, focusId, input.turn, input.call_id);
    if (found) return found;
    throw new AnimusError('work.not_found', { detail: `turn ${input.turn} has no call ${input.call_id}`, hint: '' });
  },
});

export const showTimeline = operation({
  ...ofItem,
  name: 'showTimeline',
  summary: 'The turns of an item with their calls, without their contents, oldest first',
  http: { method: 'GET', path: '/work/{id}/timeline' },
  input: { id: id(), after: cursor(), limit: whole({ min: 1, max: 5000, default: 1000 }) },
  output: (s) => s.page(timelineTurn(s)),
  async run({ tx }, { id: item, after, limit: most }) {
    await requireVisibleWork(tx, item);
    const rows = await readTimeline(tx, item, readCursor(['id', 'int'], after), most + 1);
    return pageOf(rows, most, (row) => writeCursor([row.focus_id, row.turn]));
  },
});

async function turnOf(
  tx: Queryable,
  asked: { readonly id: string; readonly turn: number; readonly focus_id?: string | undefined },
) {
  await requireVisibleWork(tx, asked.id);
  return (await findTurn(tx, asked.id, asked.turn, asked.focus_id ?? null)) ?? missing(asked.turn);
}

function missing(asked: number): never {
  throw new AnimusError('work.not_found', { detail: `the item has no turn ${asked}`, hint: '' });
}
