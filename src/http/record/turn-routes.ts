/** What the foci of an item did: turns and tool calls, as they are recorded. */
import { z } from 'zod';
import { pageOf } from '../../operations/page-of.ts';
import { id, json, limit, page, time } from '../../operations/schemas.ts';
import { readVisibleCalls, readVisibleFoci, readVisibleTurns } from '../../store/views/visible/visible-record.ts';
import { requireVisibleWork } from '../../store/views/visible/visible-work.ts';
import { cursor, readCursor, writeCursor } from '../route/cursor.ts';
import { jsonRoute, type Route } from '../route/route.ts';

const params = z.strictObject({ id: id() });
const focus = z
  .object({
    id: id(),
    number: z.int(),
    phase: z.string(),
    resumes: z.int(),
    ended_as: z.string().nullable(),
    error: json(),
    started_at: time(),
    ended_at: time().nullable(),
  })
  .meta({ id: 'Focus' });

const listFoci = jsonRoute({
  id: 'listFoci',
  method: 'GET',
  path: '/work/{id}/foci',
  tag: 'record',
  summary: 'The foci of an item: each activation of its faculty',
  scope: 'read',
  params,
  output: z.object({ items: z.array(focus) }),
  errors: ['work.not_found'],
  run: async ({ tx }, { path }) => {
    await requireVisibleWork(tx, path.id);
    return { items: await readVisibleFoci(tx, path.id) };
  },
});

const turn = z
  .object({
    focus_id: id(),
    turn: z.int(),
    provider: z.string().nullable(),
    model: z.string().nullable(),
    response: json().describe('the content blocks of the answer; null while the model is being asked'),
    stop_reason: z.string().nullable(),
    usage: json().describe('tokens, as the provider counts them'),
    cost_usd: z.number().nullable().describe('null: not known'),
    begun_at: time(),
    recorded_at: time().nullable(),
    duration_ms: z.number().nullable(),
  })
  .meta({ id: 'Turn' });

const TURN = z.tuple([id(), z.int32()]);

const listTurns = jsonRoute({
  id: 'listTurns',
  method: 'GET',
  path: '/work/{id}/turns',
  tag: 'record',
  summary: 'The turns of an item: each answer of a model, oldest first',
  scope: 'read',
  params,
  query: z.strictObject({ after: cursor().optional(), limit: limit() }),
  output: page(turn),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query }) => {
    await requireVisibleWork(tx, path.id);
    const [focusId, number] = query.after === undefined ? [] : readCursor(TURN, query.after);
    const after = focusId === undefined || number === undefined ? null : { focusId, turn: number };
    const rows = await readVisibleTurns(tx, path.id, after, query.limit + 1);
    return pageOf(rows, query.limit, (row) => writeCursor([row.focus_id, row.turn]));
  },
});

const call = z
  .object({
    focus_id: id(),
    turn: z.int(),
    position: z.int(),
    call_id: z.string(),
    parent_call_id: z.string().nullable().describe('the call whose code made this one'),
    name: z.string(),
    origin: z.string(),
    state: z.string(),
    input: json().describe('as the model wrote it'),
    final_input: json().describe('what it ran with instead; null: its input'),
    output: z.string().nullable(),
    output_bytes: z.int().nullable(),
    is_error: z.boolean().nullable(),
    started_at: time().nullable(),
    ended_at: time().nullable(),
    duration_ms: z.number().nullable(),
  })
  .meta({ id: 'ToolCall' });

const CALL = z.tuple([id(), z.int32(), z.int32(), z.string()]);

const listCalls = jsonRoute({
  id: 'listToolCalls',
  method: 'GET',
  path: '/work/{id}/tool-calls',
  tag: 'record',
  summary: 'The tool calls of an item, oldest first',
  scope: 'read',
  params,
  query: z.strictObject({
    full: z.stringbool().default(false).describe('whole outputs; otherwise their first 2,000 characters'),
    after: cursor().optional(),
    limit: limit(),
  }),
  output: page(call),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query }) => {
    await requireVisibleWork(tx, path.id);
    const rows = await readVisibleCalls(tx, path.id, {
      after: query.after === undefined ? null : callAfter(query.after),
      full: query.full,
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => writeCursor([row.focus_id, row.turn, row.position, row.call_id]));
  },
});

function callAfter(text: string) {
  const [focusId, number, position, callId] = readCursor(CALL, text);
  return { focusId, turn: number, position, callId };
}

export const turnRoutes: readonly Route[] = [listFoci, listTurns, listCalls];
