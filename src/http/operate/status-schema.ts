/** The status of all work and of the daemons, as `animus.visible_status()` answers it. Each count stops at `count_cap`. */
import { z } from 'zod';
import { OVERLAP_POLICIES } from '../../features/schedules/store.ts';
import { costParts, tokenCounts } from '../../operations/cost-schemas.ts';
import * as schemas from '../../operations/schemas.ts';
import { id, workState } from '../../operations/schemas.ts';
import { WAITING } from '../../operations/work-schemas.ts';
import { FEATURES } from '../route/features.ts';

const timeText = () => z.string().meta({ format: 'date-time' });
const count = () => z.int().min(0);

const queue = z.object({
  faculty: z.string(),
  queued: count(),
  capped: z.boolean().describe('`queued` is a lower bound'),
  oldest_at: timeText().nullable(),
  routable: z.boolean().describe('a live daemon serves it'),
});

const { reason, why, ends } = WAITING;
const waiting = z
  .object({
    faculty: z.string(),
    state: workState(),
    reason,
    items: count(),
    work_item_id: id().describe('the one that has waited longest, as `why` and `ends`'),
    why,
    ends,
    since: timeText(),
    until: timeText().nullable(),
  })
  .meta({ id: 'WaitingStatus' });

const focus = z.object({
  work_item_id: id(),
  focus_id: id().nullable().describe('null: not yet begun'),
  faculty: z.string(),
  description: z.string(),
  phase: z.string().nullable(),
  state: z.enum(['claimed', 'running']),
  turn: z.int().nullable(),
  started_at: timeText().nullable(),
  host: z.string().nullable(),
  daemon_id: id().nullable(),
  plan: z.string().nullable(),
  cost_usd: z.number().nullable().describe('null: the cost of no call is known'),
  unpriced_calls: z.number().describe('calls whose cost is not known, which the sum is without'),
});

const daemon = z.object({
  id: id(),
  host: z.string(),
  pid: z.int(),
  version: z.string(),
  max_concurrent: z.int(),
  saturated: z.boolean(),
  faculties: z.array(z.string()),
  problems: z.array(z.unknown()),
  started_at: timeText(),
  seen_at: timeText(),
  stopped_at: timeText().nullable(),
  alive: z.boolean().describe('seen within the last two minutes; it reports every 30 seconds at least'),
  lease_until: timeText().nullable().optional().describe('when the last lease of its work ends; null: it has no work'),
  blocked_at: timeText()
    .nullable()
    .optional()
    .describe('when its event loop last stood still for a second or more; null: never'),
  blocked_seconds: z.number().nullable().optional().describe('for how long it did'),
  blocks: z.int().optional().describe('how often it has'),
});

const deadLetter = z.object({
  work_item_id: id(),
  faculty: z.string(),
  description: z.string(),
  attempts: z.int(),
  resolved_at: timeText(),
  reason: z.string(),
});

const kept = z
  .object({
    rows: count(),
    examples: z.array(z.object({ table: z.string(), id: z.string(), referenced_by: z.string() })),
  })
  .describe('old rows that retention cannot remove, because another table refers to them');

const pause = z.object({
  faculty: z.string().describe('`*`: all'),
  reason: z.string(),
  paused_by: z.string(),
  until: timeText().nullable(),
  created_at: timeText(),
});

const spend = z.object({
  faculty: z.string(),
  model: z.string(),
  usd: z.number().nullable().describe('null: the cost of no call is known'),
  unpriced_calls: costParts.unpriced_calls,
  estimated_usd: costParts.estimated_usd.default(0),
  lost_usd: costParts.lost_usd.default(0),
  lost_requests: z.number().default(0).describe('requests that gave nothing, which are not calls'),
  ...tokenCounts,
  uncounted_calls: tokenCounts.uncounted_calls.default(0),
  calls: z.number(),
  code_runs: z.number().default(0).describe('runs of code without a model, which are not calls'),
});

const inbox = z.object({
  waiting: count(),
  oldest_at: timeText().nullable(),
  dead: count().describe('messages that could not be read'),
  last_dead_reason: z.string().nullable(),
});

const schedule = z.object({
  name: z.string(),
  faculty: z.string(),
  cron: z.string(),
  time_zone: z.string(),
  paused: z.boolean(),
  problem: z.string().nullable(),
  next_at: timeText().nullable(),
  last_at: timeText().nullable(),
  missed_24h: z.number(),
  overlap: z.enum(OVERLAP_POLICIES),
  skipped: count().describe('runs that were skipped since its last item began, counted up to 1,000'),
  open_item: id().nullable().describe('its newest item that has not ended; null: none, or runs may overlap'),
});

const asks = z.object({
  waiting: count(),
  first: z.array(
    z.object({
      work_item_id: id().nullable(),
      faculty: z.string(),
      ask_id: id(),
      call_id: z.string().nullable(),
      kind: z.string(),
      subject: z.string(),
      tool: z.string().nullable(),
      shown: z.string(),
      asked_at: timeText(),
      deadline: timeText().nullable(),
      items: count().describe('how many work items wait for the same limit; 1 for anything else'),
    }),
  ),
});

const budget = z.object({
  scope: z.string(),
  subject: z.string().describe('the id of the item or root, the name of the faculty, or empty'),
  unit: z.string(),
  period: z.string(),
  ends: z.string().nullable().describe('of its day or month'),
  amount: z.number(),
  spent: z.number(),
  held: z.number().describe('for turns under way: their highest cost'),
  used: z.number().describe('both'),
});

const worktrees = z.object({
  host: z.string(),
  kept: count(),
  open: count().describe('work goes on in them'),
  held: count().describe('kept, with something that is on no branch'),
  bytes: z.number().describe('as far as they were counted'),
  discarding: count().describe('discarded, and not yet removed by the daemon of the host'),
});

export const status = z
  .object({
    at: timeText(),
    count_cap: z.int(),
    capped: z.array(workState()).describe('states whose count is a lower bound'),
    states: z
      .partialRecord(workState(), z.int())
      .describe('ended work of the last 24 hours; dead work for as long as it is there'),
    queue: z.array(queue),
    waiting: z.array(waiting),
    foci: z.array(focus),
    daemons: z.array(daemon),
    dead_letters: z.array(deadLetter).describe('the last ten that died'),
    kept,
    pauses: z.array(pause),
    spend_today: z.array(spend),
    ...featureShapes(),
    worktrees: z.array(worktrees).describe('directories of worktrees that are there, by host'),
    inbox,
    schedules: z.array(schedule),
    asks: asks.describe('what waits for people: how many, and the ten oldest'),
    budgets: z.array(budget).describe('limits of which 80 % or more are used'),
  })
  .meta({ id: 'Status' });

/** The keys of the parts. */
function featureShapes(): z.ZodRawShape {
  return Object.assign({}, ...FEATURES.map(({ status: part }) => part?.shape(schemas)));
}
