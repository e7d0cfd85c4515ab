/** Which contents of a file the calls of a focus have read or written, as they recorded it (`contents` in their details, and `edited`, the contents before edits). */
import type { Queryable } from '../sql/database.ts';

/** One such call. */
export interface SeenRow {
  readonly turn: number;
  readonly name: string;
  readonly byCode: boolean;
  readonly details: Readonly<Record<string, unknown>>;
  /** Of a call that read. */
  readonly output: string | null;
  /** Of a call that wrote. */
  readonly input: Readonly<Record<string, unknown>> | null;
}

/** The newest 20 of a path, oldest first. */
export async function readSeenContents(db: Queryable, focusId: string, path: string): Promise<SeenRow[]> {
  const rows = await db.query<SeenRow>(
    `select turn, name, origin = 'sandbox' as "byCode", details, case when name = 'read_file' then output end as output,
            case when name = 'write_file' then coalesce(final_input, input) end as input
       from animus.tool_calls where focus_id = $1 and state = 'done' and details -> 'contents' ? $2
      order by turn desc, ended_at desc, position desc limit 20`,
    [focusId, path],
  );
  return rows.toReversed();
}
