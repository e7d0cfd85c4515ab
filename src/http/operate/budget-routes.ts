/** Limits of what work may cost. SQL decides who sets which: docs/budgets.md. */
import { z } from 'zod';
import { time, warning } from '../../operations/schemas.ts';
import { listBudgets, removeBudget, setBudget } from '../../store/work/budgets.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { unserved } from '../route/unserved.ts';

const unit = () => z.enum(['usd', 'tokens']);
/** Which limit is meant. */
const name = {
  scope: z.enum(['item', 'root', 'faculty', 'appliance']).describe('what is limited'),
  subject: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'the id of a work item, or the name of a faculty: of `item` and `root` each item of it; none for the appliance',
    ),
  period: z.enum(['none', 'day', 'month']).default('none').describe('in UTC; items and roots have none'),
};

const limit = z
  .object({
    scope: z.string(),
    subject: z.string().nullable(),
    period: z.string(),
    unit: unit(),
    amount: z.number().describe('what counts now'),
    base: z.number().nullable().describe('without what was approved; null: only that was set'),
    used: z.number().nullable().describe('what is spent and what is held; null: a limit of each item of a faculty'),
    spent: z.number().nullable(),
    held: z.number().nullable().describe('for turns under way: their highest cost'),
    estimated: z
      .number()
      .nullable()
      .describe('of what is spent: answers whose tokens the provider did not count; null for tokens'),
    lost: z
      .number()
      .nullable()
      .describe('of what is spent: requests that gave nothing; of tokens, answers without counts, too'),
    on_exceeded: z.enum(['wait', 'die']).nullable(),
    origin: z.enum(['file', 'operator', 'submitter', 'extension']),
    set_by: z.string(),
    set_at: time(),
    expires_at: time().nullable(),
  })
  .meta({ id: 'Budget' });

const listRoute = jsonRoute({
  id: 'listBudgets',
  method: 'GET',
  path: '/budgets',
  tag: 'operate',
  summary: 'The limits of what work may cost, and how much of each is used; for operators',
  scope: 'read',
  output: z.object({ items: z.array(limit) }),
  run: async ({ tx }) => ({
    items: (await listBudgets(tx)).map(({ onExceeded, setBy, setAt, expiresAt, ...rest }) => ({
      ...rest,
      on_exceeded: onExceeded,
      set_by: setBy,
      set_at: setAt,
      expires_at: expiresAt,
    })),
  }),
});

const setRoute = jsonRoute({
  id: 'setBudget',
  method: 'PUT',
  path: '/budgets',
  tag: 'operate',
  summary: 'Set a limit: operators any, others a lower one for an item of their own',
  scope: 'work',
  body: z.strictObject({
    ...name,
    unit: unit(),
    amount: z.number().min(0).max(1e13).describe('above 0: to stop work, pause it'),
    on_exceeded: z.enum(['wait', 'die']).optional(),
  }),
  output: z.object({
    scope: z.string(),
    subject: z.string().nullable(),
    period: z.string(),
    unit: unit(),
    warning: warning(),
  }),
  errors: ['work.not_found', 'work.invalid'],
  run: async ({ tx }, { body }) => {
    const { amount, on_exceeded: onExceeded = null, subject = null, ...rest } = body;
    await setBudget(tx, { ...rest, subject }, amount, onExceeded);
    const named = subject !== null && !z.guid().safeParse(subject).success ? [subject] : [];
    return { ...rest, subject, ...(await unserved(tx, named, 'the limit applies to nothing')) };
  },
});

const removeRoute = jsonRoute({
  id: 'removeBudget',
  method: 'DELETE',
  path: '/budgets',
  tag: 'operate',
  summary: 'Remove a limit that a person has set, so that the one in the file applies again; for operators',
  scope: 'decide',
  query: z.strictObject({ ...name, unit: unit().default('usd').describe('of the limit') }),
  output: z.object({ removed: z.boolean().describe('false: there was none') }),
  run: async ({ tx }, { query: { subject = null, ...rest } }) => ({
    removed: await removeBudget(tx, { ...rest, subject }),
  }),
});

export const budgetRoutes: readonly Route[] = [listRoute, setRoute, removeRoute];
