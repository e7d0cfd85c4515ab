/** Reads conversations: those in which the login takes part, as a terminal lists them, and those of a workspace, which a gateway may show. */
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import type { Conversation, PeopledConversation } from './conversations.ts';

const COLUMNS =
  'file_id as id, workspace_id, path, title, faculty, while_answering, created_by, created_at, updated_at';

/** The conversations in which the actor takes part, newest first. */
export async function listConversations(db: Queryable, limit: number): Promise<Conversation[]> {
  return db.query<Conversation>(`select ${COLUMNS} from animus.own_conversations order by updated_at desc limit $1`, [
    limit,
  ]);
}

/** One conversation of the actor; null if it is not there, was deleted, or the actor does not take part (any more). */
export async function findConversation(db: Queryable, id: string): Promise<Conversation | null> {
  const sql = `select ${COLUMNS} from animus.own_conversations where file_id = $1::uuid`;
  const [found] = await db.query<Conversation>(sql, [id]);
  return found ?? null;
}

/** The ids of conversations of the actor with this title, or else with these words in it; at most two. Case does not count. */
export async function conversationsTitled(db: Queryable, title: string): Promise<string[]> {
  const rows = await db.query<{ id: string; whole: boolean }>(
    `select file_id as id, lower(title) = lower($1) as whole from animus.own_conversations
      where strpos(lower(title), lower($1)) > 0 order by whole desc, updated_at desc limit 2`,
    [title],
  );
  const whole = rows.filter((row) => row.whole);
  return (whole.length > 0 ? whole : rows).map(({ id }) => id);
}

/** The newest conversations of a workspace, newest first. Ids are in the order of creation. */
export async function listVisibleConversations(
  tx: Queryable,
  workspaceId: string,
  after: string | undefined,
  limit: number,
): Promise<Conversation[]> {
  return tx.query<Conversation>(
    `select ${COLUMNS} from animus.visible_conversations
      where workspace_id = $1::uuid and ($2::uuid is null or file_id < $2) order by file_id desc limit $3`,
    [workspaceId, after ?? null, limit],
  );
}

/** One conversation, with who takes part. Errors: `work.not_found`, also for one that the actor may not see. */
export async function readVisibleConversation(
  tx: Queryable,
  workspaceId: string,
  id: string,
): Promise<PeopledConversation> {
  const [found] = await tx.query<PeopledConversation>(
    `select ${COLUMNS},
            array(select p.actor from animus.visible_conversation_people p where p.file_id = c.file_id order by p.actor) as people,
            array(select p.actor from animus.visible_conversation_people p where p.file_id = c.file_id and p.role = 'owner' order by p.actor) as owners
       from animus.visible_conversations c where workspace_id = $1::uuid and file_id = $2::uuid`,
    [workspaceId, id],
  );
  if (found === undefined) throw noConversation(id);
  return found;
}

/** Errors: as `readVisibleConversation`. */
export async function requireVisibleConversation(tx: Queryable, workspaceId: string, id: string): Promise<void> {
  const sql = 'select from animus.visible_conversations where workspace_id = $1::uuid and file_id = $2::uuid';
  const [found] = await tx.query(sql, [workspaceId, id]);
  if (found === undefined) throw noConversation(id);
}

/** The message of the SQL functions, so that one that is hidden looks like one that is not there. */
function noConversation(id: string): AnimusError {
  return new AnimusError('work.not_found', { id, detail: `no conversation ${id}` });
}
