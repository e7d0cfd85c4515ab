import { z } from 'zod';
import { id } from '../../operations/schemas.ts';
import { workItem } from '../../operations/work-schemas.ts';
import { readVisibleWork } from '../../store/views/visible/visible-work.ts';
import { jsonRoute } from '../route/route.ts';

export const showWork = jsonRoute({
  id: 'showWork',
  method: 'GET',
  path: '/work/{id}',
  tag: 'work',
  summary: 'One work item',
  scope: 'read',
  params: z.strictObject({ id: id() }),
  output: workItem,
  errors: ['work.not_found'],
  run: ({ tx }, { path }) => readVisibleWork(tx, path.id),
});
