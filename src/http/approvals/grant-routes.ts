/** The calls that run without an approval, because an operator has allowed calls like them. */
import { z } from 'zod';
import { id, time } from '../../operations/schemas.ts';
import { readVisibleGrants } from '../../store/views/visible/visible-operated.ts';
import { revokeGrant } from '../../store/work/decide.ts';
import { jsonRoute, type Route } from '../route/route.ts';

const grantView = z
  .object({
    id: z.string(),
    scope: z.enum(['item', 'faculty']),
    work_item_id: id().nullable(),
    faculty: z.string(),
    tool: z.string(),
    pattern: z.string().nullable().describe('of inputs; null: for one exact input, which has the hash'),
    hash: z.string().nullable(),
    note: z.string(),
    granted_by: z.string(),
    created_at: time(),
    expires_at: time(),
  })
  .meta({ id: 'Grant' });

const listGrants = jsonRoute({
  id: 'listGrants',
  method: 'GET',
  path: '/grants',
  tag: 'approvals',
  summary: 'The calls that run without an approval; for those who may see all work',
  scope: 'read',
  output: z.object({ items: z.array(grantView) }),
  run: async ({ tx }) => ({ items: await readVisibleGrants(tx) }),
});

const revokeRoute = jsonRoute({
  id: 'revokeGrant',
  method: 'DELETE',
  path: '/grants/{id}',
  tag: 'approvals',
  summary: 'End a grant; calls that have started continue; for operators',
  scope: 'decide',
  params: z.strictObject({ id: z.string().regex(/^\d{1,18}$/) }),
  output: z.object({ id: z.string(), revoked: z.boolean().describe('false: it had ended before') }),
  errors: ['work.not_found'],
  run: async ({ tx }, { path }) => ({ id: path.id, revoked: await revokeGrant(tx, path.id) }),
});

export const grantRoutes: readonly Route[] = [listGrants, revokeRoute];
