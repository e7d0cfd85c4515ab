/** Images and documents that a model was shown with the result of a call: artifacts of the item, which the details of the call name. */
import type { MediaBlock } from '../../core/work/conversation.ts';
import type { Queryable } from '../sql/database.ts';
import type { EngineMessage } from './messages.ts';

/** A file of a result. */
export interface ShownFile {
  readonly artifactId: string;
  readonly bytes: number;
  /** As it is sent; `data` is empty where the file was not read, because it is not sent any more. */
  readonly media: MediaBlock;
  /** True: its artifact was deleted. */
  readonly gone?: true;
}

/** The form in which the details of a call have it, under `shown`. */
export interface ShownFileRow {
  readonly artifact: string;
  readonly name: string;
  readonly media_type: string;
  readonly bytes: number;
  /** By estimate, for the model that needs most. */
  readonly tokens: number;
}

export function rowOfShown({ artifactId, bytes, media }: ShownFile): ShownFileRow {
  const { name = '', mediaType, tokens = 0 } = media;
  return { artifact: artifactId, name, media_type: mediaType, bytes, tokens };
}

/** Without its bytes. */
export function shownOfRow({ artifact, name, media_type: mediaType, bytes, tokens }: ShownFileRow): ShownFile {
  const type = mediaType.startsWith('image/') ? 'image' : 'document';
  return { artifactId: artifact, bytes, media: { type, mediaType, data: '', name, tokens } };
}

/** The first turn whose results show their files: those of turns before were left out, or were folded. */
export function filesFrom(messages: readonly EngineMessage[]): number {
  return messages.reduce(
    (from, { kind, afterTurn, keepsFrom = 0 }) => Math.max(from, keepsFrom, kind === 'left_out' ? afterTurn : 0),
    0,
  );
}

/** Reads the bytes of these files of a focus's item, each once. */
export async function readShownFiles(
  db: Queryable,
  focusId: string,
  files: readonly ShownFile[],
): Promise<(file: ShownFile) => ShownFile> {
  const ids = [...new Set(files.map(({ artifactId }) => artifactId))];
  if (ids.length === 0) return (file) => file;
  const rows = await db.query<{ id: string; content: Buffer }>(
    `select a.id, a.content from animus.foci f join animus.artifacts a on a.work_item_id = f.work_item_id
      where f.id = $1 and a.id = any ($2::uuid[])`,
    [focusId, ids],
  );
  const found = new Map(rows.map(({ id, content }) => [id, content.toString('base64')]));
  return (file) => {
    const data = found.get(file.artifactId);
    return data === undefined ? { ...file, gone: true } : { ...file, media: { ...file.media, data } };
  };
}
