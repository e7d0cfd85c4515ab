/** Files of work as the actor may see them. */
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../sql/database.ts';
import type { ArtifactView } from '../artifact-views.ts';

/** The files of an item and of its foci, oldest first, after one of them. */
export async function readVisibleArtifacts(
  tx: Queryable,
  workItemId: string,
  after: string | null,
  limit: number,
): Promise<ArtifactView[]> {
  return tx.query<ArtifactView>(
    `select id, name, media_type, bytes::float8 as bytes, created_at from animus.visible_artifacts
      where work_item_id = $1::uuid and ($2::uuid is null or id > $2) order by id limit $3`,
    [workItemId, after, limit],
  );
}

/** One file without its content. Errors: `work.not_found`, also for one that the actor may not see. */
export async function readVisibleArtifact(tx: Queryable, id: string): Promise<ArtifactView> {
  const [row] = await tx.query<ArtifactView>(
    `select id, name, media_type, bytes::float8 as bytes, created_at from animus.visible_artifacts where id = $1::uuid`,
    [id],
  );
  if (row === undefined) throw new AnimusError('work.not_found', { id, detail: `no artifact ${id}` });
  return row;
}

/** At most `length` bytes of it from `start` on, which counts from 0; null: it is gone, or was made anew. */
export async function readArtifactPart(
  tx: Queryable,
  { id, created_at: at }: Pick<ArtifactView, 'id' | 'created_at'>,
  start: number,
  length: number,
): Promise<Uint8Array | null> {
  const [row] = await tx.query<{ part: Uint8Array }>(
    `select substring(content from $2::int + 1 for $3::int) as part from animus.visible_artifacts
      where id = $1::uuid and date_trunc('milliseconds', created_at) = $4::timestamptz`,
    [id, start, length, at],
  );
  return row?.part ?? null;
}
