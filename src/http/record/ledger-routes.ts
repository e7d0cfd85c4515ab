/** The ledger of an item. */
import { z } from 'zod';
import { LEDGER_TYPES } from '../../core/work/work.ts';
import { pageOf } from '../../operations/page-of.ts';
import { id, limit, page, time } from '../../operations/schemas.ts';
import { appendLedger } from '../../store/transcript/ledger.ts';
import { readVisibleLedger } from '../../store/views/visible/visible-record.ts';
import { requireVisibleWork } from '../../store/views/visible/visible-work.ts';
import { jsonRoute, type Route } from '../route/route.ts';

const params = z.strictObject({ id: id() });
const entry = z
  .object({
    seq: z.int(),
    type: z.enum(LEDGER_TYPES),
    content: z.string(),
    focus_id: id().nullable().describe('null: a person wrote it'),
    created_at: time(),
  })
  .meta({ id: 'LedgerEntry' });

const readLedger = jsonRoute({
  id: 'readLedger',
  method: 'GET',
  path: '/work/{id}/ledger',
  tag: 'record',
  summary: 'The ledger of an item, in order',
  scope: 'read',
  params,
  query: z.strictObject({
    type: z.enum(LEDGER_TYPES).optional().describe('only entries of this type'),
    after: z.coerce
      .number()
      .int()
      .min(0)
      .max(2_147_483_647)
      .default(0)
      .describe('the `next` of the page before, or the `seq` of an entry'),
    limit: limit(),
  }),
  output: page(entry),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query }) => {
    await requireVisibleWork(tx, path.id);
    const { type = null, after, limit: most } = query;
    return pageOf(await readVisibleLedger(tx, path.id, { type, after, limit: most + 1 }), most, ({ seq }) =>
      String(seq),
    );
  },
});

const appendEntry = jsonRoute({
  id: 'appendLedger',
  method: 'POST',
  path: '/work/{id}/ledger',
  tag: 'record',
  summary: 'Append an entry to the ledger of an item; for operators',
  scope: 'decide',
  params,
  body: z.strictObject({ type: z.enum(LEDGER_TYPES), content: z.string().min(1) }),
  status: 201,
  output: z.object({ seq: z.int() }),
  errors: ['work.not_found', 'work.invalid'],
  run: async ({ tx }, { path, body }) => {
    await requireVisibleWork(tx, path.id);
    return { seq: await appendLedger(tx, path.id, body.type, body.content) };
  },
});

export const ledgerRoutes: readonly Route[] = [readLedger, appendEntry];
