/** Workspaces and conversations as the actor may see them, in the transaction of a gateway. Rows keep the names of their columns. */
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { toText } from '../../../store/sql/json.ts';
import type { WhileAnswering } from './conversations.ts';

export interface WorkspaceView {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  readonly created_at: Date;
}

export interface ConversationView {
  readonly id: string;
  readonly workspace_id: string;
  readonly path: string;
  readonly title: string;
  readonly faculty: string;
  readonly while_answering: WhileAnswering;
  readonly created_by: string;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** Where a page begins, and how many rows it has. Ids are in the order of creation. */
interface PageOf {
  readonly after: string | null;
  readonly limit: number;
}

/** The newest workspaces, newest first. */
export async function listVisibleWorkspaces(tx: Queryable, { after, limit }: PageOf): Promise<WorkspaceView[]> {
  return tx.query<WorkspaceView>(
    `select id, name, owner, created_at from animus.visible_workspaces
      where $1::uuid is null or id < $1 order by id desc limit $2`,
    [after, limit],
  );
}

/** One of them. Errors: `work.not_found`, also for one that the actor may not see. */
export async function readVisibleWorkspace(tx: Queryable, id: string): Promise<WorkspaceView> {
  const sql = 'select id, name, owner, created_at from animus.visible_workspaces where id = $1::uuid';
  const [row] = await tx.query<WorkspaceView>(sql, [id]);
  if (row === undefined) throw new AnimusError('work.not_found', { id, detail: `no workspace ${id}` });
  return row;
}

/** The newest conversations of a workspace, newest first. */
export async function listVisibleConversations(
  tx: Queryable,
  workspaceId: string,
  { after, limit }: PageOf,
): Promise<ConversationView[]> {
  return tx.query<ConversationView>(
    `select file_id as id, workspace_id, path, title, faculty, while_answering, created_by, created_at, updated_at
       from animus.visible_conversations where workspace_id = $1::uuid and ($2::uuid is null or file_id < $2) order by file_id desc limit $3`,
    [workspaceId, after, limit],
  );
}

/** A conversation with who takes part; the owners are among the people. */
export interface PeopledConversation extends ConversationView {
  readonly people: readonly string[];
  readonly owners: readonly string[];
}

/** One conversation, with who takes part. Errors: `work.not_found`, also for one that the actor may not see. */
export async function readVisibleConversation(
  tx: Queryable,
  workspaceId: string,
  id: string,
): Promise<PeopledConversation> {
  const [row] = await tx.query<PeopledConversation>(
    `select c.file_id as id, c.workspace_id, c.path, c.title, c.faculty, c.while_answering, c.created_by, c.created_at, c.updated_at,
            array(select p.actor from animus.visible_conversation_people p where p.file_id = c.file_id order by p.actor) as people,
            array(select p.actor from animus.visible_conversation_people p where p.file_id = c.file_id and p.role = 'owner' order by p.actor) as owners
       from animus.visible_conversations c where c.workspace_id = $1::uuid and c.file_id = $2::uuid`,
    [workspaceId, id],
  );
  if (row === undefined) throw noConversation(id);
  return row;
}

/** Errors: as `readVisibleConversation`. */
export async function requireVisibleConversation(tx: Queryable, workspaceId: string, id: string): Promise<void> {
  const sql = 'select from animus.visible_conversations where workspace_id = $1::uuid and file_id = $2::uuid';
  const [row] = await tx.query(sql, [workspaceId, id]);
  if (row === undefined) throw noConversation(id);
}

/** A file of a workspace. */
export interface FileView {
  readonly id: string;
  readonly path: string;
  readonly is_virtual: boolean;
  readonly kind: 'chat' | 'attachment';
  /** Null for a virtual file, whose content is made when it is read. */
  readonly media_type: string | null;
  readonly bytes: number | null;
  readonly updated_at: Date;
}

/** The newest files of a workspace, newest first. */
export async function listVisibleFiles(
  tx: Queryable,
  workspaceId: string,
  { after, limit }: PageOf,
): Promise<FileView[]> {
  return tx.query<FileView>(
    `select id, path, is_virtual, kind, media_type, bytes::float8 as bytes, updated_at from animus.visible_files
      where workspace_id = $1::uuid and ($2::uuid is null or id < $2) order by id desc limit $3`,
    [workspaceId, after, limit],
  );
}

/** The id of the file at a path. Errors: `work.not_found`, also for a file that the actor may not see. */
export async function findVisibleFile(tx: Queryable, workspaceId: string, path: string): Promise<string> {
  const [row] = await tx.query<{ id: string }>(
    'select id from animus.visible_files where workspace_id = $1::uuid and path = $2',
    [workspaceId, toText(path)],
  );
  if (row === undefined) throw new AnimusError('work.not_found', { detail: `no file ${path}` });
  return row.id;
}

/** The message of the SQL functions, so that one that is hidden looks like one that is not there. */
function noConversation(id: string): AnimusError {
  return new AnimusError('work.not_found', { id, detail: `no conversation ${id}` });
}
