/** A conversation with thousands of answered messages, written in one statement per table, and what a statement costs the database. */
import type { Database, Queryable } from '../../../../src/store/sql/database.ts';
import { newTalk, type Talk } from '../../../store/conversations/begun.ts';

/** Each question has an ended item and an answer; the foci are in chains of at most `chain`. */
export async function longTalk(db: Database, questions: number, chain = 100): Promise<Talk> {
  const talk = await newTalk(db);
  await db.transaction(async (tx) => {
    await tx.query(`set local session_replication_role = replica`);
    await tx.query(
      `create temporary table said on commit drop as
       select n, animus.uuid_v7() as item, animus.uuid_v7() as focus, nextval('animus.chat_messages_id_seq') as question, nextval('animus.chat_messages_id_seq') as answer
         from generate_series(1, $1::int) n order by n`,
      [questions],
    );
    await tx.query(
      `insert into animus.work_items (id, faculty, source, trigger_info, root_id, depth, state, created_at, updated_at, resolved_at, awaited)
       select item, $2, 'chat', jsonb_build_object('conversation', $1::uuid, 'message', question), item, 0, 'completed', animus.now(), animus.now(), animus.now(), true from said`,
      [talk.id, talk.faculty],
    );
    await tx.query(
      `insert into animus.focus_settings (id, faculty_snapshot, system_prompt, tools, used_on) values ('\\x00', '{}', 'p', '[]', current_date) on conflict do nothing`,
    );
    await tx.query(
      `insert into animus.foci (id, work_item_id, number, daemon_id, host, phase, started_at, ended_at, ended_as, continues, turns_before, settings_id)
       select focus, item, 1, focus, 'test', 'engage', animus.now(), animus.now(), 'completed',
              case when n % $1 <> 1 then lag(focus) over (order by n) end, (n - 1) % $1, '\\x00' from said`,
      [chain],
    );
    await tx.query(
      `insert into animus.chat_messages (id, file_id, role, content, author, created_at, after_id, work_item_id, ended_as, number) overriding system value
       select question, $1::uuid, 'user', 'question ' || n, session_user, animus.now(), lag(question) over (order by n), item, null, 2 * n - 1 from said
       union all
       select answer, $1::uuid, 'assistant', rpad('answer ' || n || ' ', 100, 'and so on '), 'faculty:x', animus.now(), question, item, 'completed', 2 * n from said`,
      [talk.id],
    );
    await tx.query('update animus.conversations set head_id = (select max(question) from said) where file_id = $1', [
      talk.id,
    ]);
  });
  await db.query('analyze animus.chat_messages, animus.work_items, animus.foci');
  return talk;
}

/** Pages that a statement reads, with all that its functions read; what it writes is taken back. */
export async function pagesOf(db: Database, sql: string): Promise<number> {
  let pages = 0;
  const undo = new Error('taken back');
  await db
    .transaction(async (tx) => {
      pages = await explained(tx, sql);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
  return pages;
}

async function explained(tx: Queryable, sql: string): Promise<number> {
  const run = async () => {
    const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      `explain (analyze, buffers, format json) ${sql}`,
    );
    const { Plan: plan } = row!['QUERY PLAN'][0];
    return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
  };
  // The first run of a function in a session reads catalogues, and so does one after the server has changed something about a table.
  const pages: number[] = [];
  for (let n = 0; n < 4; n++) {
    await tx.query('savepoint before_it');
    pages.push(await run());
    await tx.query('rollback to savepoint before_it');
  }
  return Math.min(...pages);
}
