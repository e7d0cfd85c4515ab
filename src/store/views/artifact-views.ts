/** Reads what is kept with a work item, for the CLI. Rows keep the names of their columns, as in work-views.ts. */
import type { Queryable } from '../sql/database.ts';

/** A file of an item, without its content. */
export interface ArtifactView {
  readonly id: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  readonly created_at: Date;
}

/** The files that belong to the item itself, not to a focus of it: attachments and a large outcome. By name. */
export async function readArtifacts(db: Queryable, workItemId: string): Promise<ArtifactView[]> {
  return db.query<ArtifactView>(
    `select id, name, media_type, bytes::float8 as bytes, created_at from animus.artifacts
      where work_item_id = $1::uuid and focus_id is null order by name, id`,
    [workItemId],
  );
}
