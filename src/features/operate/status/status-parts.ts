/** What the status says of schedules, asks, limits and worktrees. */
import { row } from '../../../operations/row.ts';
import type { Schemas } from '../../../operations/schemas.ts';

export const count = ({ z }: Schemas) => z.int().min(0);

export const inbox = row((s) =>
  s.z.object({
    waiting: count(s),
    oldest_at: s.timeText().nullable(),
    dead: count(s).describe('messages that could not be read'),
    last_dead_reason: s.z.string().nullable(),
  }),
);

export const schedule = row((s) =>
  s.z.object({
    name: s.z.string(),
    faculty: s.z.string(),
    cron: s.z.string(),
    time_zone: s.z.string(),
    paused: s.z.boolean(),
    problem: s.z.string().nullable(),
    next_at: s.timeText().nullable(),
    last_at: s.timeText().nullable(),
    missed_24h: s.z.number(),
    overlap: s.z.enum(['allow', 'skip', 'queue']),
    skipped: count(s).describe('runs that were skipped since its last item began, counted up to 1,000'),
    open_item: s.id().nullable().describe('its newest item that has not ended; null: none, or runs may overlap'),
  }),
);

export const asks = row((s) =>
  s.z.object({
    waiting: count(s),
    first: s.z.array(
      s.z.object({
        work_item_id: s.id().nullable(),
        faculty: s.z.string(),
        ask_id: s.id(),
        call_id: s.z.string().nullable(),
        kind: s.z.string(),
        subject: s.z.string(),
        tool: s.z.string().nullable(),
        shown: s.z.string(),
        asked_at: s.timeText(),
        deadline: s.timeText().nullable(),
        items: count(s).describe('how many work items wait for the same limit; 1 for anything else'),
      }),
    ),
  }),
);

export const budget = row((s) =>
  s.z.object({
    scope: s.z.string(),
    subject: s.z.string().describe('the id of the item or root, the name of the faculty, or empty'),
    unit: s.z.string(),
    period: s.z.string(),
    ends: s.z.string().nullable().describe('of its day or month'),
    amount: s.z.number(),
    spent: s.z.number(),
    held: s.z.number().describe('for turns under way: their highest cost'),
    used: s.z.number().describe('both'),
  }),
);

export const worktrees = row((s) =>
  s.z.object({
    host: s.z.string(),
    kept: count(s),
    open: count(s).describe('work goes on in them'),
    held: count(s).describe('kept, with something that is not on any branch'),
    bytes: s.z.number().describe('as far as they were counted'),
    discarding: count(s).describe('discarded, and not yet removed by the daemon of the host'),
  }),
);
