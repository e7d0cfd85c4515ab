/** Inserts ended items with their transcripts, fast: bypasses the triggers and writes what they would have written. */
import type { Database } from '../../../src/store/sql/database.ts';

/** The rows of one item beside its own; one focus each. */
export interface Transcript {
  readonly turns: number;
  readonly callsPerTurn: number;
  readonly messages: number;
  readonly ledger: number;
}

/** Four turns and what belongs to them: 26 rows with the item's own. */
export const USUAL: Transcript = { turns: 4, callsPerTurn: 2, messages: 3, ledger: 8 };

/** Inserts `items` items in this state that ended before `endedBefore` (an interval as text), one second apart. */
export async function fillHistory(
  db: Database,
  items: number,
  of: Transcript,
  endedBefore = '100 days',
  state: 'completed' | 'cancelled' = 'completed',
): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query('drop table if exists filled');
    await tx.query(
      `create temp table filled as
       select animus.uuid_v7() as id, animus.uuid_v7() as focus, animus.now() - $2::interval - (($1::int - n) * interval '1 second') as ended, nextval('pgmq.q_animus_work_msg_id_seq') as msg
         from generate_series(1, $1::int) n`,
      [items, endedBefore],
    );
    await tx.query(
      `insert into animus.work_items (id, faculty, description, root_id, depth, state, created_at, updated_at, resolved_at, queue_msg_id, attempts, turns, outcome, outcome_summary)
       select id, 'engineer', repeat('Fix the failing test of the time zones. ', 4), id, 0, $2, ended, ended, ended, msg, 0, $1, '{"fixed": true}', 'fixed' from filled`,
      [of.turns, state],
    );
    await tx.query(
      `insert into pgmq.a_animus_work (msg_id, vt, enqueued_at, archived_at, message) select msg, ended, ended, ended, jsonb_build_object('work_item_id', id) from filled`,
    );
    await tx.query(
      `insert into animus.foci (id, work_item_id, number, daemon_id, host, phase, ended_as, started_at, ended_at, settings_id)
       select focus, id, 1, gen_random_uuid(), 'host', 'consolidate', 'completed', ended, ended, '\\x00' from filled`,
    );
    await tx.query(
      `insert into animus.turns (focus_id, turn, provider, model, response, stop_reason, usage, cost_usd, begun_at, recorded_at)
       select focus, n, 'anthropic', 'claude', json_build_array(json_build_object('type', 'text', 'text', repeat('I read the file and change line ' || n || '. ', 12))),
              'tool_use', '{"input_tokens": 1000, "output_tokens": 100}', 0.01, ended, ended from filled, generate_series(1, $1::int) n`,
      [of.turns],
    );
    await tx.query(
      `insert into animus.tool_calls (focus_id, turn, call_id, position, name, input, state, output, output_bytes, is_error, started_at, ended_at)
       select focus, t, 'toolu_' || t || '_' || c, c, 'bash', json_build_object('command', 'npm test -- ' || t), 'done', repeat('ok ' || c || E' passed\\n', 30), 300, false, ended, ended
         from filled, generate_series(1, $1::int) t, generate_series(1, $2::int) c`,
      [of.turns, of.callsPerTurn],
    );
    await tx.query(
      `insert into animus.focus_messages (focus_id, seq, after_turn, kind, content, tokens, created_at)
       select focus, n, 0, 'orient', repeat('You are asked to fix a test. ', 20), 200, ended from filled, generate_series(1, $1::int) n`,
      [of.messages],
    );
    await tx.query(
      `insert into animus.work_ledger (work_item_id, seq, entry_type, content, focus_id, created_at)
       select id, n, 'finding', 'The test fails only east of Greenwich, number ' || n, focus, ended from filled, generate_series(1, $1::int) n`,
      [of.ledger],
    );
  });
}
