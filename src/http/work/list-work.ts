import { z } from 'zod';
import { pageOf } from '../../operations/page-of.ts';
import { facultyName, id, limit, page, workState } from '../../operations/schemas.ts';
import { workSummary } from '../../operations/work-schemas.ts';
import { listVisibleWork, requireVisibleWork } from '../../store/views/visible/visible-work.ts';
import { jsonRoute } from '../route/route.ts';

export const listWork = jsonRoute({
  id: 'listWork',
  method: 'GET',
  path: '/work',
  tag: 'work',
  summary: 'Work items, newest first',
  scope: 'read',
  query: z.strictObject({
    state: workState().optional(),
    faculty: facultyName().optional(),
    after: id().optional(),
    limit: limit(),
  }),
  output: page(workSummary),
  run: async ({ tx }, { query }) => {
    const { state, faculty, after, limit: most } = query;
    const rows = await listVisibleWork(tx, { state, faculty, after, limit: most + 1 });
    return pageOf(rows, most, (row) => row.id);
  },
});

export const listChildren = jsonRoute({
  id: 'listChildren',
  method: 'GET',
  path: '/work/{id}/children',
  tag: 'work',
  summary: 'The child work of an item, newest first',
  scope: 'read',
  params: z.strictObject({ id: id() }),
  query: z.strictObject({ state: workState().optional(), after: id().optional(), limit: limit() }),
  output: page(workSummary),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query }) => {
    await requireVisibleWork(tx, path.id);
    const { state, after, limit: most } = query;
    const rows = await listVisibleWork(tx, { parentId: path.id, state, after, limit: most + 1 });
    return pageOf(rows, most, (row) => row.id);
  },
});
