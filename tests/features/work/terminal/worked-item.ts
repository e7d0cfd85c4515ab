/** What a daemon does with a work item, so that a command has something to wait for or to show. */
import { activateSkills } from '../../../../src/store/skills/activations.ts';
import { storeSkillPackage } from '../../../../src/store/skills/packages.ts';
import type { Database } from '../../../../src/store/sql/database.ts';
import { type ClaimedWork, claimWork, completeWork } from '../../../../src/store/work/work.ts';

const DAEMON = '00000000-0000-4000-8000-000000000001';

/** Registers the daemon that claims, with one faculty. */
export async function registerDaemon(db: Database, faculty: string): Promise<void> {
  await db.query(
    `select animus.register_daemon($1, 'h', 1, '0', 1, jsonb_build_object($2::text, '{}'::jsonb), '[]'::jsonb)`,
    [DAEMON, faculty],
  );
}

/** Claims the faculty's item as soon as it exists. */
export async function claimOne(db: Database, faculty: string): Promise<ClaimedWork> {
  for (;;) {
    const [work] = await claimWork(
      db,
      DAEMON,
      { [faculty]: { max: 9, max_attempts: 1, dedup_until: 'resolved' } },
      1,
      60,
    );
    if (work !== undefined) return work;
    await db.query('select pg_sleep(0.02)');
  }
}

/** Resolves when the query about this id finds a row. */
export async function until(db: Database, sql: string, id: string): Promise<void> {
  while ((await db.query(sql, [id])).length === 0) await db.query('select pg_sleep(0.02)');
}

/** Starts a focus on the claimed work and returns its id. */
export async function startFocus(db: Database, work: ClaimedWork): Promise<string> {
  const [focus] = await db.query<{ id: string }>(
    `select id from animus.start_focus($1, $2, 'host', '/tmp/foci', '{}'::jsonb, 'You help.', '[]'::json)`,
    [work.id, work.leaseToken],
  );
  return focus?.id ?? '';
}

/** Starts a focus on the claimed work and completes it with this summary. */
export async function runAndComplete(db: Database, work: ClaimedWork, summary: string): Promise<void> {
  await startFocus(db, work);
  await completeWork(db, work, {}, summary);
}

/** Records the first turn of the focus: an answer with one call, which fails with this output. */
export async function recordTurn(
  db: Database,
  work: ClaimedWork,
  focusId: string,
  output = 'no such file',
): Promise<void> {
  const key = [focusId, work.leaseToken];
  await db.query('select animus.begin_turn($1, $2, 1)', key);
  const usage = { input: 1000, output: 20, cacheRead: 900, cacheWrite: 0, reasoning: 0 };
  const answer = {
    provider: 'scripted',
    model: 'demo',
    content: [{ type: 'text', text: 'Let me look.' }],
    stop_reason: 'tool_use',
    usage,
    cost_usd: 0.01,
    duration_ms: 5,
  };
  const call = { call_id: 'c1', name: 'read_file', input: { path: 'a.txt' }, state: 'started' };
  await db.query('select animus.record_turn($1, $2, 1, $3::json, $4::json)', [
    ...key,
    JSON.stringify(answer),
    JSON.stringify([call]),
  ]);
  const result = { turn: 1, call_id: 'c1', state: 'done', output, is_error: true, duration_ms: 2 };
  await db.query('select animus.finish_tool_calls($1, $2, $3::jsonb)', [...key, JSON.stringify([result])]);
}

/** Records the first turn of the focus: an answer with one call, whose code made this many calls; all have ended. */
export async function recordCode(db: Database, work: ClaimedWork, focusId: string, calls: number): Promise<void> {
  const key = [focusId, work.leaseToken];
  await db.query('select animus.begin_turn($1, $2, 1)', key);
  const answer = {
    provider: 'scripted',
    model: 'demo',
    content: [],
    stop_reason: 'tool_use',
    cost_usd: 0,
    duration_ms: 5,
  };
  const call = { call_id: 'c1', name: 'execute_code', input: { code: 'return 1' }, state: 'started' };
  await db.query('select animus.record_turn($1, $2, 1, $3::json, $4::json)', [
    ...key,
    JSON.stringify(answer),
    JSON.stringify([call]),
  ]);
  const made = Array.from({ length: calls }, (_, index) => ({
    n: index + 1,
    name: 'grep',
    input: { pattern: `no ${index + 1}` },
    state: 'done',
    output: `found ${index + 1}`,
    output_bytes: 7,
    is_error: false,
    duration_ms: 1,
  }));
  await db.query(`select animus.record_code_calls($1, $2, 1, 'c1', $3::json)`, [...key, JSON.stringify(made)]);
  const result = { turn: 1, call_id: 'c1', state: 'done', output: 'returned 1', is_error: false, duration_ms: 2 };
  await db.query('select animus.finish_tool_calls($1, $2, $3::jsonb)', [...key, JSON.stringify([result])]);
}

/** The focus activates version 2 of the skill `review`, because its triggers fit. */
export async function useSkill(db: Database, work: ClaimedWork, focusId: string): Promise<void> {
  const hash = 'ab'.repeat(32);
  const files = [{ path: 'SKILL.md', content: Buffer.from('x') }];
  await storeSkillPackage(db, { hash, name: 'review' }, async () => files);
  const skill = { name: 'review', version: '2', hash, reason: 'auto' };
  await activateSkills(db, { focusId, leaseToken: work.leaseToken }, [skill]);
}
