/** Files that a model is shown: artifacts of the item, which came with it and are in the first message of a focus, or came with the result of a call. */
import type { MediaBlock } from '../../core/work/conversation.ts';
import { estimateTokens } from '../../core/work/tokens.ts';
import type { Queryable } from '../sql/database.ts';
import { toText } from '../sql/json.ts';
import type { FocusKey } from './focus-row.ts';
import { filesFrom, readShownFiles } from './shown-files.ts';
import { CHAIN, readTranscript, type Transcript } from './transcript.ts';

/** An attached file without its content. */
export interface Attachment {
  readonly id: string;
  readonly name: string;
  /** By the file's first bytes, not by its name. */
  readonly mediaType: string;
  readonly bytes: number;
}

/**
 * The attachments with these ids, in any order, that belong to the item or to one above it in its tree: anyone who may add a child to
 * an item may see that item. Of an item that answers a message, also those of the messages before it on its branch that were not deleted. Ids of
 * other items find nothing.
 */
export async function readAttachments(
  db: Queryable,
  workItemId: string,
  ids: readonly string[],
): Promise<Attachment[]> {
  if (ids.length === 0) return [];
  return db.query<Attachment>(
    `with recursive line as (
       select id, parent_id from animus.work_items where id = $1::uuid
       union all select w.id, w.parent_id from animus.work_items w join line on w.id = line.parent_id)
     select a.id, a.name, a.media_type as "mediaType", a.bytes::float8 as bytes
       from animus.artifacts a where a.id = any ($2::uuid[]) and a.focus_id is null
        and (a.work_item_id in (select id from line) or exists (select from animus.files f where f.id = a.id)
                                                        and exists (select from animus.files_of_branch($1::uuid) b where b.id = a.id))
        and not exists (select from animus.files f where f.id = a.id and f.deleted_at is not null)`,
    [workItemId, ids],
  );
}

/** The bytes of artifacts, by id; of deleted ones there are none. */
export async function readContents(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const rows = await db.query<{ id: string; content: Buffer }>(
    `select id, content from animus.artifacts where id = any ($1::uuid[])`,
    [ids],
  );
  return new Map(rows.map(({ id, content }) => [id, content]));
}

/** A message that shows an attachment. */
export interface AttachmentMessage {
  /** The words of the message. */
  readonly content: string;
  /** The artifact whose bytes are sent after the words; null if the words are all. */
  readonly artifactId: string | null;
  /** Of words and file together, by estimate. */
  readonly tokens: number;
}

/** Records the message before it is sent (`animus.add_attachment`). Errors: as `addMessage`. */
export async function addAttachment(
  db: Queryable,
  { focusId, leaseToken }: FocusKey,
  { content, artifactId, tokens }: AttachmentMessage,
): Promise<void> {
  const add = `select animus.add_attachment($1, $2, $3, $4, $5)`;
  await db.query(add, [focusId, leaseToken, artifactId, toText(content), tokens]);
}

/**
 * The transcript with the files that its messages and results show: what requests are rendered from. The bytes are read once, when the loop
 * begins, and kept in memory as base64 until it ends; those of results until they are left out.
 */
export async function readTranscriptToSend(db: Queryable, focusId: string): Promise<Transcript> {
  return withAttachments(await withShownFiles(await readTranscript(db, focusId), db, focusId), db, focusId);
}

async function withShownFiles(transcript: Transcript, db: Queryable, focusId: string): Promise<Transcript> {
  const from = filesFrom(transcript.messages);
  const files = transcript.turns.flatMap(({ turn, calls }) =>
    turn < from ? [] : calls.flatMap(({ shown = [] }) => shown),
  );
  if (files.length === 0) return transcript;
  const whole = await readShownFiles(db, focusId, files);
  return {
    ...transcript,
    turns: transcript.turns.map((turn) => ({
      ...turn,
      calls: turn.calls.map((call) =>
        call.shown === undefined || turn.turn < from ? call : { ...call, shown: call.shown.map(whole) },
      ),
    })),
  };
}

async function withAttachments(transcript: Transcript, db: Queryable, focusId: string): Promise<Transcript> {
  if (transcript.messages.every(({ artifactId }) => artifactId === undefined)) return transcript;
  const files = await db.query<ShownFile>(
    `${CHAIN} select a.id, a.name, a.media_type as "mediaType", a.content, m.tokens, m.content as words
       from chain c join animus.focus_messages m on m.focus_id = c.id join animus.artifacts a on a.id = m.artifact_id`,
    [focusId],
  );
  const shown = new Map(files.map((file) => [file.id, mediaOf(file)]));
  return {
    ...transcript,
    messages: transcript.messages.map((message) => {
      const media = message.artifactId === undefined ? undefined : shown.get(message.artifactId);
      return media === undefined ? message : { ...message, media };
    }),
  };
}

interface ShownFile extends Omit<Attachment, 'bytes'> {
  readonly content: Buffer;
  /** Of the message: its words and the file. */
  readonly tokens: number;
  readonly words: string;
}

function mediaOf({ name, mediaType, content, tokens, words }: ShownFile): MediaBlock {
  return {
    type: mediaType.startsWith('image/') ? 'image' : 'document',
    mediaType,
    data: content.toString('base64'),
    name,
    tokens: Math.max(0, tokens - estimateTokens(words)),
  };
}
