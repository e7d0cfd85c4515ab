/** The virtual files that an answer in a conversation sees in its workspace. */
import type { Queryable } from '../sql/database.ts';

/** Reads them for one item; each call reads them as they are then. Paths are relative to the workspace. */
export function filesOfReply(db: Queryable, workItemId: string) {
  return {
    async paths(): Promise<readonly string[]> {
      const rows = await db.query<{ path: string }>('select path from animus.files_of_reply($1)', [workItemId]);
      return rows.map(({ path }) => path);
    },
    async read(path: string): Promise<string | null> {
      // All of them end so: other paths cost no statement.
      if (!path.endsWith('.chat')) return null;
      const [row] = await db.query<{ content: string }>('select content from animus.read_file_of_reply($1, $2)', [
        workItemId,
        path,
      ]);
      return row?.content ?? null;
    },
  };
}
