/** Outputs too large for a context: stored whole, read in parts. */
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';
import type { FocusKey } from './focus-row.ts';

/** A recorded output and the part of it that the model sees. */
export interface StoredOutput {
  readonly turn: number;
  readonly callId: string;
  /** A UUID that `shown` contains; an existing artifact with this id has the same output. */
  readonly artifactId: string;
  readonly shown: string;
}

/** Moves the output of an ended call into an artifact. The call's result must be committed. */
export async function storeOutput(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  { turn, callId, artifactId, shown }: StoredOutput,
): Promise<void> {
  const store = `select animus.store_output($1, $2, $3, $4, $5, $6)`;
  await db.query(store, [focusId, leaseToken, turn, callId, artifactId, toText(shown)]);
}

/** A part of an artifact's text. Offsets and counts are in characters (code points). */
export interface ArtifactPart {
  readonly text: string;
  readonly characters: number;
}

/**
 * Reads a part of a text artifact of the item or of any of its foci, of an earlier answer of its conversation, or of a text that was attached to an item
 * above it or to a message before it on its branch; null if there is none with that id. The item's own id means its description and parameters, which may also be too large for a context.
 */
export async function readArtifact(
  db: Queryable,
  workItemId: string,
  artifactId: string,
  offset: number,
  limit: number,
): Promise<ArtifactPart | null> {
  const [row] = await db.query<ArtifactPart>(
    `with recursive line as (
       select id, parent_id from animus.work_items where id = $1
       union all select w.id, w.parent_id from animus.work_items w join line on w.id = line.parent_id)
     select substr(whole, $3::int + 1, $4::int) as text, char_length(whole) as characters
       from (select convert_from(a.content, 'UTF8') as whole from animus.artifacts a left join animus.foci f on f.id = a.focus_id
              where a.id = $2::uuid and a.media_type like 'text/%'
                and not exists (select from animus.files f where f.id = a.id and f.deleted_at is not null)
                and (coalesce(a.work_item_id, f.work_item_id) = any (animus.items_of_chain($1)) or a.focus_id is null and a.work_item_id in (select id from line)
                  or exists (select from animus.files f where f.id = a.id) and exists (select from animus.files_of_branch($1) b where b.id = a.id))
             union all
             select w.description || case when w.params = '{}' then '' else E'\\n\\n# Parameters\\n' || jsonb_pretty(w.params) end
               from animus.work_items w where w.id = $1 and w.id = $2::uuid) artifact`,
    [workItemId, artifactId, offset, limit],
  );
  return row ?? null;
}

/** The name and bytes of an artifact of the item itself that is no text; null if there is none with that id. */
export async function readPicture(
  db: Queryable,
  workItemId: string,
  artifactId: string,
): Promise<{ readonly name: string; readonly content: Buffer } | null> {
  const [row] = await db.query<{ name: string; content: Buffer }>(
    `select a.name, a.content from animus.artifacts a
      where a.id = $2::uuid and a.work_item_id = $1 and a.focus_id is null and a.media_type not like 'text/%'
        and not exists (select from animus.files f where f.id = a.id and f.deleted_at is not null)`,
    [workItemId, artifactId],
  );
  return row ?? null;
}
