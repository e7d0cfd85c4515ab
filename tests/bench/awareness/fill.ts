/** Work that is alive, beside a long history: running foci with plans and findings, and requests to people. Bypasses the triggers. */
import type { Database } from '../../../src/store/sql/database.ts';
import { fillHistory } from '../../store/work/fill-history.ts';

/** Ended items, one second apart, up to now, with `ledger` findings each. Every tenth is of a person. */
export async function fillEnded(db: Database, items: number, ledger: number): Promise<void> {
  const part = Math.min(items, 250_000);
  await db.query('alter table animus.work_ledger drop constraint work_ledger_pkey');
  await db.query('drop index animus.work_ledger_findings');
  for (let n = 0; n < items; n += part)
    await fillHistory(db, part, { turns: 0, callsPerTurn: 0, messages: 0, ledger }, `${items - n - part} seconds`);
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `update animus.work_items set submitted_by = case when extract(epoch from resolved_at)::bigint % 10 = 0 then 'person:ada' else session_user end,
              params = jsonb_build_object('repo', 'acme/app-' || extract(epoch from resolved_at)::bigint % 50)`,
    );
  });
  await db.query('alter table animus.work_ledger add primary key (work_item_id, seq)');
  await db.query(`create index work_ledger_findings on animus.work_ledger (created_at) where entry_type = 'finding'`);
}

/** Running items with a ledger of ten entries, the plan first; one in ten waits for a person instead. */
export async function fillRunning(db: Database, items: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `create temp table alive on commit drop as
       select animus.uuid_v7() as id, animus.uuid_v7() as focus, n, animus.now() - n * interval '3 seconds' as begun, n % 10 = 0 as waits from generate_series(1, $1::int) n`,
      [items],
    );
    await tx.query(
      `insert into animus.work_items (id, faculty, description, params, root_id, depth, state, created_at, updated_at, queue_msg_id, submitted_by, lease_owner, lease_token, lease_expires_at)
       select id, 'engineer', 'Fix the failing test number ' || n || ' of the time zones. ' || repeat('It fails only in winter. ', 10),
              jsonb_build_object('repo', 'acme/app-' || n % 50), id, 0, case when waits then 'waiting' else 'running' end, begun, begun, nextval('pgmq.q_animus_work_msg_id_seq'),
              case when n % 10 = 1 then 'person:ada' else session_user end, case when not waits then gen_random_uuid() end, n, case when not waits then begun + interval '1 day' end from alive`,
    );
    await tx.query(
      `insert into animus.foci (id, work_item_id, number, daemon_id, host, phase, started_at, settings_id)
       select focus, id, 1, gen_random_uuid(), 'host', 'engage', begun, '\\x00' from alive`,
    );
    await tx.query(
      `insert into animus.work_ledger (work_item_id, seq, entry_type, content, focus_id, created_at)
       select id, e, case e when 1 then 'plan' when 10 then 'step' else 'finding' end, 'Entry ' || e || ' of ' || n || ': ' || repeat('the clock of the test is wrong ', 6), focus, begun + e * interval '1 second'
         from alive, generate_series(1, 10) e`,
    );
    await tx.query(
      `insert into animus.waits (work_item_id, call_id, kind, subject, request, request_hash, created_at, focus_id)
       select id, 'toolu_1', 'approval', 'tool_call', '{"tool": "bash", "input": {"command": "make release"}}', '\\x00', begun, focus from alive where waits`,
    );
  });
  await db.query('vacuum (analyze, freeze)');
}
