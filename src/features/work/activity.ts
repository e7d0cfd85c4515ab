/** How much happens, by intervals, for charts. */
import { choice, facultyName, flag, list, optional, time } from '../../operations/fields.ts';
import { READS } from '../../operations/mcp-offer.ts';
import { operation } from '../../operations/operation.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';

export const ACTIVITY_UNITS = ['minute', 'hour', 'day'] as const;
type Unit = (typeof ACTIVITY_UNITS)[number];

const activity = row((s) =>
  s.z
    .object({
      at: s.time().describe('the beginning of the interval, UTC'),
      faculty: s.z.string().nullable().describe('with `by_faculty`; otherwise null'),
      submitted: s.z.number(),
      completed: s.z.number(),
      dead: s.z.number(),
      cancelled: s.z.number(),
      merged: s.z.number(),
      p50_seconds: s.z.number().nullable().describe('from submission to end, of what ended in it; within a tenth'),
      p95_seconds: s.z.number().nullable(),
      usd: s.z.number(),
      input_tokens: s.z.number(),
      output_tokens: s.z.number(),
    })
    .meta({ id: 'Activity' }),
);
export type Activity = RowOf<typeof activity>;

export const showActivity = operation({
  name: 'showActivity',
  tag: 'operate',
  summary: 'What was submitted, has ended and was spent in each minute, hour or day of a period, without a scan',
  scope: 'read',
  http: { method: 'GET', path: '/activity' },
  input: {
    by: choice(ACTIVITY_UNITS, { default: 'hour', description: 'the length of an interval' }),
    since: optional(time({ description: 'default: 60 minutes, 24 hours or 30 days before `until`' })),
    until: optional(time({ description: 'default: now' })),
    faculty: optional(list(facultyName(), { min: 1, max: 20, description: 'only these faculties' })),
    by_faculty: flag({ default: false, description: 'a row for each faculty in which something has happened' }),
  },
  output: (s) =>
    s.z.object({
      items: s.z.array(activity(s)),
      partial: s.z.boolean().describe('of the last moments not all could be counted, because no daemon adds them up'),
    }),
  errors: ['work.invalid'],
  mcp: {
    name: 'show_activity',
    description: 'What was submitted, has ended and was spent in each minute, hour or day of a period.',
    hints: READS,
    instead: ({ timeIn }) => ({ since: timeIn().optional(), until: timeIn().optional() }),
  },
  run: ({ tx }, input) => readActivity(tx, input, Date.now()),
});

interface Wanted {
  readonly by: Unit;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly faculty?: readonly string[] | undefined;
  readonly by_faculty: boolean;
}

const MINUTE_MS = 60_000;
/** How long a period is by default. */
const DEFAULT_MS: Readonly<Record<Unit, number>> = {
  minute: 60 * MINUTE_MS,
  hour: 24 * 60 * MINUTE_MS,
  day: 30 * 24 * 60 * MINUTE_MS,
};

/** Errors: `work.invalid` for more than 1,000 intervals. */
async function readActivity(
  tx: Queryable,
  { by, since, until, faculty, by_faculty: apart }: Wanted,
  nowMs: number,
): Promise<{ readonly items: Activity[]; readonly partial: boolean }> {
  const end = until ?? new Date(nowMs);
  const rows = await tx.query<Activity & { readonly partial: boolean }>(
    `select at, faculty, submitted::float8 as submitted, completed::float8 as completed, dead::float8 as dead, cancelled::float8 as cancelled, merged::float8 as merged,
            p50_seconds, p95_seconds, usd::float8 as usd, input_tokens::float8 as input_tokens, output_tokens::float8 as output_tokens, partial
       from animus.visible_activity($1, $2::timestamptz, $3::timestamptz, $4::text[], $5)`,
    [by, since ?? new Date(end.getTime() - DEFAULT_MS[by]), end, faculty ?? null, apart],
  );
  return { items: rows.map(({ partial: _, ...counted }) => counted), partial: rows.some(({ partial }) => partial) };
}
