/** What concerns no single item, as the actor may see it: faculties, schedules, pauses, status. */
import type { Queryable } from '../../sql/database.ts';
import { requireSeesAll } from './visible-operated.ts';

/** What a faculty needs that runs code; null if no running daemon serves it. */
export async function readVisibleFaculty(
  tx: Queryable,
  name: string,
): Promise<{ readonly mode: string; readonly able: number; readonly problem: string | null } | null> {
  const [faculty] = await tx.query<{ mode: string; able: number; problem: string | null }>(
    'select mode, able, problem from animus.visible_faculties where name = $1',
    [name],
  );
  return faculty ?? null;
}

/** The names of the faculties that running daemons serve. */
export async function readServedNames(tx: Queryable): Promise<readonly string[]> {
  const rows = await tx.query<{ name: string }>('select name from animus.visible_faculties order by name');
  return rows.map(({ name }) => name);
}

export interface VisibleSchedule {
  readonly name: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly faculty: string;
  readonly description: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly missed: 'skip' | 'once' | 'all';
  readonly grace_seconds: number;
  readonly overlap: 'allow' | 'skip' | 'queue';
  readonly paused: boolean;
  readonly problem: string | null;
  readonly next_at: Date | null;
  readonly last_at: Date | null;
  readonly created_at: Date;
  readonly open_item: string | null;
}

/** All schedules by name. Errors: `db.forbidden` for who may not see all work. */
export async function readVisibleSchedules(tx: Queryable): Promise<VisibleSchedule[]> {
  await requireSeesAll(tx);
  return tx.query<VisibleSchedule>(
    `select name, cron, time_zone, faculty, left(description, 1048576) as description, params, missed, grace_seconds, overlap, paused, problem, next_at, last_at,
            created_at, open_item
       from animus.visible_schedules order by name`,
  );
}
