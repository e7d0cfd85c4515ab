/** The models that are asked. A turn has no event before its answer is recorded, which says who answered. */
import type { Queryable } from '../sql/database.ts';
import { nullIfForbidden } from '../sql/database-errors.ts';

export interface OpenTurn {
  /** Its number. */
  readonly focus: number;
  readonly turn: number;
  /** The first model that is asked; a fallback may answer. */
  readonly model: string;
  /** Milliseconds since 1970. */
  readonly begunAtMs: number;
}

/** Null: no model is asked, or the login may not read turns. */
export async function readOpenTurn(db: Queryable, workItemId: string): Promise<OpenTurn | null> {
  const reading = db.query<OpenTurn>(
    `select f.number as focus, t.turn, coalesce(f.faculty_snapshot, s.faculty_snapshot) #>> '{engage,model}' as model,
            extract(epoch from t.begun_at)::float8 * 1000 as "begunAtMs"
       from animus.foci f left join animus.focus_settings s on s.id = f.settings_id
       join animus.all_turns t on t.work_item_id = f.work_item_id and t.focus_id = f.id and t.recorded_at is null
      where f.work_item_id = $1::uuid and f.ended_at is null order by f.number desc, t.turn desc limit 1`,
    [workItemId],
  );
  const turns = await reading.catch(nullIfForbidden);
  return turns?.[0] ?? null;
}

/** By the number of each focus that has begun the first model that it asks, which may not be the one that answers. Empty for a login that may not read foci. */
export async function readAskedModels(db: Queryable, workItemId: string): Promise<ReadonlyMap<number, string>> {
  const reading = db.query<{ focus: number; model: string | null }>(
    `select f.number as focus, coalesce(f.faculty_snapshot, s.faculty_snapshot) #>> '{engage,model}' as model
       from animus.foci f left join animus.focus_settings s on s.id = f.settings_id where f.work_item_id = $1::uuid`,
    [workItemId],
  );
  const asked = (await reading.catch(nullIfForbidden)) ?? [];
  return new Map(asked.flatMap(({ focus, model }) => (model === null ? [] : [[focus, model] as const])));
}
