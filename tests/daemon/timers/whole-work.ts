import type { Database } from '../../../src/store/sql/database.ts';

/** Creates a focus with a turn, a call, a message and an artifact; a ledger entry, a wait, a watch, a decision. Returns the focus's id. */
export async function hangEverythingOn(db: Database, id: string): Promise<string> {
  const [focus] = await db.query<{ id: string }>(
    `insert into animus.foci (id, work_item_id, number, daemon_id, host, phase, faculty_snapshot, system_prompt, tools, started_at)
     values (gen_random_uuid(), $1, 1, gen_random_uuid(), 'h', 'engage', '{}', '', '[]', animus.now()) returning id`,
    [id],
  );
  for (const sql of [
    `insert into animus.turns (focus_id, turn, begun_at) values ($1, 1, animus.now())`,
    `insert into animus.tool_calls (focus_id, turn, call_id, position, name, input, state) values ($1, 1, 'c', 1, 'bash', '{}', 'started')`,
    `insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, created_at) values ($1, 1, 0, 'orient', 'x', 1, animus.now())`,
    `insert into animus.artifacts (id, focus_id, name, media_type, bytes, content, created_at) values (gen_random_uuid(), $1, 'a', 't', 1, 'x', animus.now())`,
  ]) {
    await db.query(sql, [focus!.id]);
  }
  await db.query(`select animus.append_ledger($1, 'note', 'x')`, [id]);
  await db.query(
    `insert into animus.waits (work_item_id, call_id, kind, created_at) values ($1, 'c', 'timer', animus.now())`,
    [id],
  );
  await db.query(
    `insert into animus.decisions (work_item_id, action, decided_by, created_at) values ($1, 'steer', 'x', animus.now())`,
    [id],
  );
  await db.query('select animus.watch_work($1)', [id]);
  return focus!.id;
}
