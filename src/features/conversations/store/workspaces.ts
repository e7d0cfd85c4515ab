/** Workspaces and their files: the shapes of their rows, and thin calls of the SQL functions (migrations/functions/conversations). */
import { AnimusError } from '../../../core/errors/errors.ts';
import { type RowOf, row } from '../../../operations/row.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { toText } from '../../../store/sql/json.ts';
import { readValue } from '../../../store/sql/read-value.ts';

export const workspace = row((s) =>
  s.z.object({ id: s.id(), name: s.z.string(), owner: s.z.string(), created_at: s.time() }).meta({ id: 'Workspace' }),
);
type Workspace = RowOf<typeof workspace>;

/** Creates a workspace of the actor, or finds the one of that name; returns its id. */
export async function createWorkspace(db: Queryable, name: string): Promise<string> {
  return readValue<string>(db, 'select animus.create_workspace($1)', [toText(name)]);
}

/** Renames a workspace of the actor. Errors: `work.not_found`; `work.state`: the actor has one of that name; `work.invalid`. */
export async function renameWorkspace(db: Queryable, id: string, name: string): Promise<void> {
  await db.query('select animus.rename_workspace($1, $2)', [id, toText(name)]);
}

/** Deletes a workspace of the actor. Errors: `work.not_found`; `work.state`: it has conversations, or deleted ones that are not removed yet. */
export async function deleteWorkspace(db: Queryable, id: string): Promise<void> {
  await db.query('select animus.delete_workspace($1)', [id]);
}

/** The newest workspaces, newest first. Ids are in the order of creation. */
export async function listVisibleWorkspaces(
  tx: Queryable,
  after: string | undefined,
  limit: number,
): Promise<Workspace[]> {
  return tx.query<Workspace>(
    `select id, name, owner, created_at from animus.visible_workspaces
      where $1::uuid is null or id < $1 order by id desc limit $2`,
    [after ?? null, limit],
  );
}

/** One of them. Errors: `work.not_found`, also for one that the actor may not see. */
export async function readVisibleWorkspace(tx: Queryable, id: string): Promise<Workspace> {
  const sql = 'select id, name, owner, created_at from animus.visible_workspaces where id = $1::uuid';
  const [found] = await tx.query<Workspace>(sql, [id]);
  if (found === undefined) throw new AnimusError('work.not_found', { id, detail: `no workspace ${id}` });
  return found;
}

export const workspaceFile = row((s) =>
  s.z
    .object({
      id: s.id(),
      path: s.z.string(),
      is_virtual: s.z.boolean().describe('its content is generated when it is read'),
      kind: s.z.enum(['chat', 'attachment']).describe('a conversation, or what came with a message of one'),
      media_type: s.z.string().nullable().describe('null for a virtual file'),
      bytes: s.z.number().nullable(),
      updated_at: s.time(),
    })
    .meta({ id: 'WorkspaceFile' }),
);
type WorkspaceFile = RowOf<typeof workspaceFile>;

/** The newest files of a workspace, newest first. */
export async function listVisibleFiles(
  tx: Queryable,
  workspaceId: string,
  after: string | undefined,
  limit: number,
): Promise<WorkspaceFile[]> {
  return tx.query<WorkspaceFile>(
    `select id, path, is_virtual, kind, media_type, bytes::float8 as bytes, updated_at from animus.visible_files
      where workspace_id = $1::uuid and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [workspaceId, after ?? null, limit],
  );
}

/** The id of the file at a path. Errors: `work.not_found`, also for a file that the actor may not see. */
export async function findVisibleFile(tx: Queryable, workspaceId: string, path: string): Promise<string> {
  const [found] = await tx.query<{ id: string }>(
    'select id from animus.visible_files where workspace_id = $1::uuid and path = $2',
    [workspaceId, toText(path)],
  );
  if (found === undefined) throw new AnimusError('work.not_found', { detail: `no file ${path}` });
  return found.id;
}

/** The text of a virtual file and its ETag. Errors: `work.not_found`. */
export async function readVirtualFile(
  db: Queryable,
  id: string,
): Promise<{ readonly content: string; readonly etag: string }> {
  const [read] = await db.query<{ content: string; etag: string }>(
    'select content, etag from animus.read_virtual_file($1)',
    [id],
  );
  return read!;
}

/** The content of a file of a workspace, its media type and its ETag. Errors: `work.not_found`. */
export async function readWorkspaceFile(
  db: Queryable,
  id: string,
): Promise<{ readonly content: Buffer; readonly mediaType: string; readonly etag: string }> {
  const [read] = await db.query<{ content: Buffer; mediaType: string; etag: string }>(
    'select content, media_type as "mediaType", etag from animus.read_workspace_file($1)',
    [id],
  );
  return read!;
}
