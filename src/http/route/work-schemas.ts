/** Work items as the API shows them. */
import { z } from 'zod';
import { id, json, jsonObject, time, workState } from './schemas.ts';

const summary = {
  id: id(),
  faculty: z.string(),
  state: workState(),
  description: z.string(),
  priority: z.int(),
  attempts: z.int(),
  turns: z.int(),
  cost_usd: z.number().nullable().describe('null: the cost of no call is known'),
  unpriced_calls: z.number().describe('calls whose cost is not known, which the sum is without'),
  parent_id: id().nullable(),
  merged_into: id()
    .nullable()
    .describe('the item that does the same work; null also where that is work of somebody else'),
  outcome_summary: z.string().nullable(),
  run_at: time().nullable(),
  created_at: time(),
  resolved_at: time().nullable(),
};

/** A line of a list; its texts are cut. */
export const workSummary = z.object(summary).meta({ id: 'WorkSummary' });

/** All that one may know about an item. */
export const workItem = z
  .object({
    ...summary,
    skill: z.string().nullable(),
    params: jsonObject(),
    dedup_key: z.string().nullable(),
    concurrency_key: z.string().nullable(),
    source: z.string(),
    trigger_info: json(),
    cancel_requested_at: time().nullable(),
    outcome: json(),
    error: json(),
    input_tokens: z.int(),
    output_tokens: z.int(),
    updated_at: time(),
    root_id: id(),
    depth: z.int(),
    max_attempts: z.int().nullable(),
    cancel_reason: z.string().nullable(),
    submitted_by: z.string().nullable(),
    batch: z.boolean().nullable().describe('null: as its faculty says'),
  })
  .meta({ id: 'WorkItem' });

/** What `Prefer: wait` adds to the answer of a request that submits work. */
export const awaitedItem = () =>
  workItem
    .optional()
    .describe('with `Prefer: wait=SECONDS`, if it ended in time: the item, as GET /work/{id} shows it');
