/** Reads what is kept with a work item, for the CLI. Rows keep the names of their columns. */
import type { Queryable } from '../sql/database.ts';
import type { Views } from './views-of-login.ts';

/** A file of an item, without its content. */
export interface ArtifactView {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly created_at: Date;
}

/** The files that belong to the item itself, not to a focus of it: attachments and a large outcome. By name. */
export async function readArtifacts(
  db: Queryable,
  workItemId: string,
  views: Views = 'visible',
): Promise<ArtifactView[]> {
  return db.query<ArtifactView>(
    `select id, name, media_type, bytes::float8 as bytes, created_at from animus.${views === 'own' ? 'own_artifacts where' : 'artifacts where focus_id is null and'}
            work_item_id = $1::uuid order by name, id`,
    [workItemId],
  );
}
