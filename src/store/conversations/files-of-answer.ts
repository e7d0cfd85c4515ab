/** The files in the database that an answer in a conversation sees in its workspace: conversations, and what came with their messages. */
import type { Queryable } from '../sql/database.ts';

/** Such a file. Its path is relative to the workspace. */
export interface FileOfAnswer {
  readonly path: string;
  readonly kind: 'chat' | 'attachment';
  /** Of an attached file. */
  readonly mediaType: string | null;
  readonly bytes: number | null;
}

/** With its text as it is now; null for an image or a document. */
export interface ReadFileOfAnswer extends Omit<FileOfAnswer, 'path'> {
  readonly text: string | null;
}

/** Reads them for one item; each call reads them as they are then. */
export function filesOfAnswer(db: Queryable, workItemId: string) {
  return {
    /** At most 10,000, those that were changed last first. */
    async list(): Promise<readonly FileOfAnswer[]> {
      return db.query<FileOfAnswer>(
        'select path, kind, media_type as "mediaType", bytes::float8 as bytes from animus.files_of_answer($1)',
        [workItemId],
      );
    },
    async read(path: string): Promise<ReadFileOfAnswer | null> {
      // All of them look so: other paths cost no statement.
      if (!path.endsWith('.chat') && !/\.files\/[^/]+$/.test(path)) return null;
      const [row] = await db.query<ReadFileOfAnswer>(
        'select kind, media_type as "mediaType", bytes::float8 as bytes, text from animus.read_file_of_answer($1, $2)',
        [workItemId, path],
      );
      return row ?? null;
    },
  };
}
