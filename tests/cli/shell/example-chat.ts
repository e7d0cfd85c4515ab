/** The conversation that the examples of `animus chat` assume: a first message, and an export of it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../../src/store/sql/database.ts';
import { run } from '../run-cli.ts';

/** Creates it anew, and `talk.jsonl` in `cwd`. Returns its id. */
export async function exampleChat(db: Database, databaseUrl: string, cwd: string): Promise<string> {
  await db.query('truncate animus.workspaces cascade');
  const [row] = await db.query<{ id: string }>(
    `select animus.start_conversation(animus.create_workspace('examples'), 'clerk') as id`,
  );
  await db.query(`select from animus.say_in_conversation($1, 'Hello')`, [row!.id]);
  await db.query(`insert into animus.conversation_people (file_id, actor) values ($1, 'bob')`, [row!.id]);
  const { stdout } = await run(['chat', 'export', row!.id], { cwd, env: { DATABASE_URL: databaseUrl } });
  writeFileSync(join(cwd, 'talk.jsonl'), stdout);
  return row!.id;
}
