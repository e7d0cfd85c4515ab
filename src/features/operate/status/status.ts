/** The status of all work and of the daemons, as `animus.visible_status()` answers it. Each count stops at `count_cap`. */
import type { z } from 'zod';
import { costParts, tokenCounts } from '../../../operations/cost-rows.ts';
import { row } from '../../../operations/row.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { readValue } from '../../../store/sql/read-value.ts';
import { asks, budget, count, inbox, schedule, worktrees } from './status-parts.ts';

const queue = row((s) =>
  s.z.object({
    faculty: s.z.string(),
    queued: count(s),
    capped: s.z.boolean().describe('`queued` is a lower bound'),
    oldest_at: s.timeText().nullable(),
    routable: s.z.boolean().describe('a live daemon serves it'),
  }),
);

const waiting = row((s) =>
  s.z
    .object({
      faculty: s.z.string(),
      state: s.workState(),
      reason: s.WAITING_FIELDS.reason,
      items: count(s),
      work_item_id: s.id().describe('the one that has waited longest, as `why` and `ends`'),
      why: s.WAITING_FIELDS.why,
      ends: s.WAITING_FIELDS.ends,
      since: s.timeText(),
      until: s.timeText().nullable(),
    })
    .meta({ id: 'WaitingStatus' }),
);

const focus = row((s) =>
  s.z.object({
    work_item_id: s.id(),
    focus_id: s.id().nullable().describe('null: not yet begun'),
    faculty: s.z.string(),
    description: s.z.string(),
    phase: s.z.string().nullable(),
    state: s.z.enum(['claimed', 'running']),
    turn: s.z.int().nullable(),
    started_at: s.timeText().nullable(),
    host: s.z.string().nullable(),
    daemon_id: s.id().nullable(),
    plan: s.z.string().nullable(),
    cost_usd: s.z.number().nullable().describe('null: the cost of no call is known'),
    unpriced_calls: s.z.number().describe('calls whose cost is not known, which the sum does not include'),
  }),
);

const daemon = row((s) =>
  s.z.object({
    id: s.id(),
    host: s.z.string(),
    pid: s.z.int(),
    version: s.z.string(),
    max_concurrent: s.z.int(),
    saturated: s.z.boolean(),
    faculties: s.z.array(s.z.string()),
    problems: s.z.array(s.z.unknown()),
    started_at: s.timeText(),
    seen_at: s.timeText(),
    stopped_at: s.timeText().nullable(),
    alive: s.z.boolean().describe('seen within the last two minutes; it reports every 30 seconds at least'),
    lease_until: s
      .timeText()
      .nullable()
      .optional()
      .describe('when the last lease of its work ends; null: it has no work'),
    blocked_at: s
      .timeText()
      .nullable()
      .optional()
      .describe('when its event loop was last blocked for a second or more; null: never'),
    blocked_seconds: s.z.number().nullable().optional().describe('for how long it was'),
    blocks: s.z.int().optional().describe('how often it was'),
  }),
);

const deadLetter = row((s) =>
  s.z.object({
    work_item_id: s.id(),
    faculty: s.z.string(),
    description: s.z.string(),
    attempts: s.z.int(),
    resolved_at: s.timeText(),
    reason: s.z.string(),
  }),
);

const kept = row((s) =>
  s.z
    .object({
      rows: count(s),
      examples: s.z.array(s.z.object({ table: s.z.string(), id: s.z.string(), referenced_by: s.z.string() })),
    })
    .describe('old rows that retention cannot remove, because another table refers to them'),
);

const pause = row((s) =>
  s.z.object({
    faculty: s.z.string().describe('`*`: all'),
    reason: s.z.string(),
    paused_by: s.z.string(),
    until: s.timeText().nullable(),
    created_at: s.timeText(),
  }),
);

const spend = row((s) =>
  s.z.object({
    faculty: s.z.string(),
    model: s.z.string(),
    usd: s.z.number().nullable().describe('null: the cost of no call is known'),
    unpriced_calls: costParts(s).unpriced_calls,
    estimated_usd: costParts(s).estimated_usd.default(0),
    lost_usd: costParts(s).lost_usd.default(0),
    lost_requests: s.z.number().default(0).describe('requests that returned nothing, which are not calls'),
    ...tokenCounts(s),
    uncounted_calls: tokenCounts(s).uncounted_calls.default(0),
    calls: s.z.number(),
    code_runs: s.z.number().default(0).describe('runs of code without a model, which are not calls'),
  }),
);

/** Without the keys of the parts. */
export const statusRow = row((s) =>
  s.z.object({
    at: s.timeText(),
    count_cap: s.z.int(),
    capped: s.z.array(s.workState()).describe('states whose count is a lower bound'),
    states: s.z
      .partialRecord(s.workState(), s.z.int())
      .describe('ended work of the last 24 hours; dead work for as long as it exists'),
    queue: s.z.array(queue(s)),
    waiting: s.z.array(waiting(s)),
    foci: s.z.array(focus(s)),
    daemons: s.z.array(daemon(s)),
    dead_letters: s.z.array(deadLetter(s)).describe('the last ten that died'),
    kept: kept(s),
    pauses: s.z.array(pause(s)),
    spend_today: s.z.array(spend(s)),
    worktrees: s.z.array(worktrees(s)).describe('existing directories of worktrees, by host'),
    inbox: inbox(s),
    schedules: s.z.array(schedule(s)),
    asks: asks(s).describe('what waits for people: how many, and the ten oldest'),
    budgets: s.z.array(budget(s)).describe('limits of which at least 80 % is used'),
  }),
);

/** Keys with defaults are not there where the functions of an earlier version answered. */
export type Status = z.input<ReturnType<typeof statusRow>>;

/** What `animus status` shows, in one call. Errors: `db.forbidden` for logins that may not see all work. */
export async function readStatus(db: Queryable): Promise<Status> {
  return readValue<Status>(db, 'select animus.visible_status()');
}
