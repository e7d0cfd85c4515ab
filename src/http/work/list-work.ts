import { z } from 'zod';
import { FACULTY_NAME } from '../../core/work/faculty-name.ts';
import { listVisibleWork } from '../../store/views/visible-work.ts';
import { jsonRoute } from '../route/route.ts';
import { id, limit, page, pageOf, workState } from '../route/schemas.ts';
import { workSummary } from './work-schemas.ts';

export const listWorkRoute = jsonRoute({
  id: 'listWork',
  method: 'GET',
  path: '/work',
  tag: 'work',
  summary: 'Work items, newest first',
  scope: 'read',
  query: z.strictObject({
    state: workState().optional(),
    faculty: z.string().regex(FACULTY_NAME).optional(),
    parent_id: id().optional(),
    after: id().optional(),
    limit: limit(),
  }),
  output: page(workSummary),
  run: async ({ tx }, { query }) => {
    const { state, faculty, parent_id: parentId, after, limit: most } = query;
    const rows = await listVisibleWork(tx, { state, faculty, parentId, after, limit: most + 1 });
    return pageOf(rows, most, (row) => row.id);
  },
});
