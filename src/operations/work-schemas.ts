/** Work items as the API shows them. */
import { z } from 'zod';
import { rowId as id, WORK_STATE } from '../core/work/row-schemas.ts';
import { WAITING_FIELDS } from '../core/work/waiting-fields.ts';
import { costParts, tokenCounts } from './cost-schemas.ts';

/** The keys of why work does not go on now. */
export const WAITING = {
  ...WAITING_FIELDS,
  since: z.date(),
  until: z.date().nullable().describe('when it ends by itself at the latest; null: never, or nobody knows'),
  work_items: z.array(id()).describe('what goes first or is awaited, of what you may see; at most 20'),
};

const whyWaiting = z.object(WAITING).meta({ id: 'Waiting' });

/** Why work does not go on now, in an answer. */
const waiting = () => whyWaiting.nullable().describe('why it does not go on now; null: it does, or has ended');

const summary = {
  id: id(),
  faculty: z.string(),
  state: WORK_STATE,
  description: z.string(),
  priority: z.int(),
  attempts: z.int(),
  turns: z.int(),
  cost_usd: z.number().nullable().describe('null: the cost of no call is known'),
  ...costParts,
  parent_id: id().nullable(),
  merged_into: id()
    .nullable()
    .describe('the item that does the same work; null also where that is work of somebody else'),
  outcome_summary: z.string().nullable(),
  run_at: z.date().nullable(),
  created_at: z.date(),
  resolved_at: z.date().nullable(),
  waiting: waiting(),
};

/** A line of a list; its texts are cut. */
export const workSummary = z.object(summary).meta({ id: 'WorkSummary' });

/** All that one may know about an item. */
export const workItem = z
  .object({
    ...summary,
    skill: z.string().nullable(),
    params: z.record(z.string(), z.unknown()),
    dedup_key: z.string().nullable(),
    concurrency_key: z.string().nullable(),
    source: z.string(),
    trigger_info: z.unknown(),
    cancel_requested_at: z.date().nullable(),
    outcome: z.unknown(),
    error: z.unknown(),
    ...tokenCounts,
    updated_at: z.date(),
    root_id: id(),
    depth: z.int(),
    max_attempts: z.int().nullable(),
    cancel_reason: z.string().nullable(),
    submitted_by: z.string().nullable(),
    batch: z.boolean().nullable().describe('null: as its faculty says'),
    detached: z.boolean().describe('it goes on when its parent dies or is cancelled'),
  })
  .meta({ id: 'WorkItem' });

/** What the answer of a request says about the work that it has submitted, beside its id. */
export const submittedItem = () => ({
  waiting: waiting(),
  item: workItem
    .optional()
    .describe('with `Prefer: wait=SECONDS`, if it ended in time: the item, as GET /work/{id} shows it'),
});
