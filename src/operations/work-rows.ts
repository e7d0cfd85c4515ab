/** Work items, as those who may see them do. */
import { costParts, tokenCounts } from './cost-rows.ts';
import { type RowOf, row } from './row.ts';
import type { Schemas } from './schemas.ts';

const whyWaiting = row((s) =>
  s.z
    .object({
      ...s.WAITING_FIELDS,
      since: s.time(),
      until: s.time().nullable().describe('when it ends by itself at the latest; null: never, or nobody knows'),
      work_items: s.z.array(s.id()).describe('what goes first or is awaited, as far as you may see it; at most 20'),
    })
    .meta({ id: 'Waiting' }),
);

/** Why work does not go on now, in an answer. */
const waiting = (s: Schemas) =>
  whyWaiting(s).nullable().describe('why it does not go on now; null: it does, or has ended');

const summary = row((s) =>
  s.z.object({
    id: s.id(),
    faculty: s.z.string(),
    state: s.workState(),
    description: s.z.string(),
    priority: s.z.int(),
    attempts: s.z.int(),
    turns: s.z.int(),
    cost_usd: s.z.number().nullable().describe('null: the cost of no call is known'),
    ...costParts(s),
    parent_id: s.id().nullable(),
    merged_into: s
      .id()
      .nullable()
      .describe('the item that does the same work; null also where that is work of somebody else'),
    outcome_summary: s.z.string().nullable(),
    run_at: s.time().nullable(),
    created_at: s.time(),
    resolved_at: s.time().nullable(),
    waiting: waiting(s),
  }),
);

/** A line of a list; its texts are cut. */
export const workSummary = row((s) => summary(s).meta({ id: 'WorkSummary' }));
export type WorkSummary = RowOf<typeof workSummary>;

/** All that one may know about an item. */
export const workItem = row((s) =>
  summary(s)
    .extend({
      skill: s.z.string().nullable(),
      params: s.jsonObject(),
      dedup_key: s.z.string().nullable(),
      concurrency_key: s.z.string().nullable(),
      source: s.z.string(),
      trigger_info: s.json(),
      cancel_requested_at: s.time().nullable(),
      outcome: s.json(),
      error: s.json(),
      ...tokenCounts(s),
      updated_at: s.time(),
      root_id: s.id(),
      depth: s.z.int(),
      max_attempts: s.z.int().nullable(),
      cancel_reason: s.z.string().nullable(),
      submitted_by: s.z.string().nullable(),
      batch: s.z.boolean().nullable().describe('null: as its faculty says'),
      detached: s.z.boolean().describe('it goes on when its parent dies or is cancelled'),
    })
    .meta({ id: 'WorkItem' }),
);
export type WorkItem = RowOf<typeof workItem>;

/** What the answer of a request says about the work that it has submitted, beside its id. */
export const submittedItem = (s: Schemas) => ({
  waiting: waiting(s),
  item: workItem(s)
    .optional()
    .describe('with `Prefer: wait=SECONDS`, if it ended in time: the item, as GET /work/{id} shows it'),
});
