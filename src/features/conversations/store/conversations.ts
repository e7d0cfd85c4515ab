/** Conversations: the shapes of their rows, and thin calls of the SQL functions (migrations/functions/conversations). */
import { AnimusError } from '../../../core/errors/errors.ts';
import { choice } from '../../../operations/fields.ts';
import { type RowOf, row } from '../../../operations/row.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { sqlState } from '../../../store/sql/database-errors.ts';
import { toText } from '../../../store/sql/json.ts';
import { readValue } from '../../../store/sql/read-value.ts';

/** What happens to a message that comes while an answer is being given. */
export const whileAnswering = choice(['queue', 'tell'], {
  description: 'a message that comes while an answer is running: answered next, or passed to that answer',
});
type WhileAnswering = (typeof whileAnswering.words)[number];

/** What somebody may do in a conversation in which they take part (docs/conversations.md). */
export const participantRole = choice(['owner', 'member'], {
  description: 'by default as before, `member` for somebody new',
});
export type ParticipantRole = (typeof participantRole.words)[number];

export const conversation = row((s) =>
  s.z
    .object({
      id: s.id().describe('also the id of its file'),
      workspace_id: s.id(),
      path: s.z.string().describe('of its file in the workspace'),
      title: s.z.string(),
      faculty: s.z.string(),
      while_answering: s.words(whileAnswering).describe(whileAnswering.description!),
      created_by: s.z.string(),
      created_at: s.time(),
      updated_at: s.time(),
    })
    .meta({ id: 'Chat' }),
);
export type Conversation = RowOf<typeof conversation>;

export const peopledConversation = row((s) =>
  conversation(s)
    .extend({
      people: s.z.array(s.z.string()),
      owners: s.z.array(s.z.string()).describe('those of the people who are owners'),
      warning: s.warning(),
    })
    .meta({ id: 'ChatWithPeople' }),
);
export type PeopledConversation = RowOf<typeof peopledConversation>;

export interface NewConversation {
  readonly workspaceId: string;
  readonly faculty: string;
  /** A relative path that ends in `.chat`; default: `chats/ID.chat`. */
  readonly path?: string | undefined;
  readonly title?: string | undefined;
  /** Default `queue`. */
  readonly whileAnswering?: WhileAnswering | undefined;
}

/**
 * Begins a conversation and returns its id, which is that of its file. Errors: `work.not_found`, `work.invalid`, `work.state` if the workspace has a
 * file at the path.
 */
export async function startConversation(db: Queryable, begin: NewConversation): Promise<string> {
  const { workspaceId, faculty, path = null, title = '', whileAnswering: order = 'queue' } = begin;
  const given = [workspaceId, faculty, toText(path), toText(title), order];
  try {
    const sql = 'select animus.start_conversation($1, $2, $3, $4, $5)';
    return await readValue<string>(db, sql, given);
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw new AnimusError('work.state', { detail: `the workspace has a file ${path}` }, { cause: error });
  }
}

/** Changes what is given. */
export async function changeConversation(
  db: Queryable,
  id: string,
  change: { readonly [Key in 'faculty' | 'title' | 'while_answering']?: Conversation[Key] | undefined },
): Promise<void> {
  await db.query('select animus.change_conversation($1, $2, $3, $4)', [
    id,
    change.faculty ?? null,
    toText(change.title),
    change.while_answering ?? null,
  ]);
}

export interface Participation {
  readonly changed: boolean;
  /** False: nobody has used animus by this name, and it is not listed. */
  readonly known: boolean;
}

/** Adds somebody who takes part, or gives them another role. Without a role, it stays, and is `member` for somebody new. */
export async function setParticipant(
  db: Queryable,
  id: string,
  actor: string,
  role: ParticipantRole | null = null,
): Promise<Participation> {
  const changed = await readValue<boolean>(db, 'select animus.set_participant($1, $2, false, $3)', [id, actor, role]);
  // A statement of its own: it has to see what the first one did.
  const known = await readValue<boolean>(db, 'select animus.participant_known($1, $2)', [id, actor]);
  return { changed, known };
}

/** Removes somebody who takes part; returns whether that changed anything. */
export async function removeParticipant(db: Queryable, id: string, actor: string): Promise<boolean> {
  return readValue<boolean>(db, 'select animus.set_participant($1, $2, true)', [id, actor]);
}

/** Hides a conversation and cancels its answers; retention removes it with its items. */
export async function deleteConversation(db: Queryable, id: string): Promise<void> {
  await db.query('select animus.delete_conversation($1)', [id]);
}
