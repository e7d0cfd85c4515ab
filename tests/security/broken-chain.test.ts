/** The promise: whoever changes, removes, moves or adds a decision behind the back of the engine is found, and where. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { run } from '../cli/run-cli.ts';
import { emptyQueue, insertWork } from '../store/work/queue-driver.ts';
import { testDatabase } from '../support/database.ts';

const target = testDatabase();
const animus = (...argv: string[]) => run(argv, { env: { DATABASE_URL: target.connectionString } });
let directory: string;
beforeAll(() => void (directory = mkdtempSync(join(tmpdir(), 'audit-'))));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let [one, two] = ['', ''];
beforeEach(async () => {
  await emptyQueue(target.database);
  [one, two] = [await insertWork(target.database), await insertWork(target.database)];
  for (const id of [one, one, one, one, two, two]) {
    await target.database.query('select animus.cancel_work($1)', [id]);
  }
  await target.database.query(`select animus.pause('engineer')`);
});

/** As the owner of the server, with every trigger off. */
async function tamper(sql: string): Promise<void> {
  await target.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(sql.replaceAll('ONE', `'${one}'`).replaceAll('TWO', `'${two}'`));
  });
}
async function found(...options: string[]): Promise<unknown[]> {
  const { code, stdout } = await animus('audit', 'verify', '--json', ...options);
  const { intact, faults } = JSON.parse(stdout) as { intact: boolean; faults: Record<string, unknown>[] };
  expect([code, intact]).toEqual(faults.length === 0 ? [0, true] : [1, false]);
  const name = (id: unknown) => (id === one ? 'one' : id === two ? 'two' : id);
  return faults.map(({ fault, work_item_id, target: about, seq }) => [fault, name(work_item_id ?? about), seq]);
}
async function exported(...options: string[]): Promise<string> {
  const file = join(directory, `${Math.random()}.jsonl`);
  writeFileSync(file, (await animus('audit', 'export', ...options)).stdout);
  return file;
}

/** Writes the hashes of a chain anew, as a forger would who knows how they are made. */
const FORGE = `do $$ declare d animus.decisions; v_hash bytea; n int := 0; begin
  for d in select * from animus.decisions where work_item_id = ONE order by seq loop
    n := n + 1; d.seq := n;
    d.note_digest := animus.digest_texts(d.salt::text, d.note);
    d.previous_hash := v_hash;
    v_hash := animus.digest_texts(encode(d.previous_hash, 'hex'), d.id::text, d.seq::text, d.work_item_id::text, d.target, d.call_id, d.action, d.decided_by,
      animus.show_time(d.created_at), encode(d.note_digest, 'hex'), encode(d.work_digest, 'hex'), encode(d.subject_digest, 'hex'));
    update animus.decisions set seq = n, note_digest = d.note_digest, previous_hash = d.previous_hash, hash = v_hash where id = d.id;
  end loop; end $$`;

test('nothing is found as long as nothing was changed', async () => {
  expect(await found()).toEqual([]);
  expect(await found('--against', await exported())).toEqual([]);
  expect(await found('--against', await exported('--heads'))).toEqual([]);
});

test.each([
  [
    'a field',
    `update animus.decisions set decided_by = 'mallory' where work_item_id = ONE and seq = 2`,
    [['changed', 'one', 2]],
  ],
  [
    'a time',
    `update animus.decisions set created_at = created_at + interval '1 microsecond' where work_item_id = ONE and seq = 2`,
    [['changed', 'one', 2]],
  ],
  ['a note', `update animus.decisions set note = 'y' where work_item_id = ONE and seq = 2`, [['changed', 'one', 2]]],
  [
    'a digest of the item',
    `update animus.decisions set work_digest = null where work_item_id = ONE and seq = 2`,
    [['changed', 'one', 2]],
  ],
  [
    'a note after its salt was removed',
    `update animus.decisions set note = 'y', salt = null where work_item_id = ONE and seq = 2`,
    [['changed', 'one', 2]],
  ],
  [
    'a hash',
    `update animus.decisions set hash = sha256('x') where work_item_id = ONE and seq = 2`,
    [
      ['changed', 'one', 2],
      ['replaced', 'one', 3],
    ],
  ],
  [
    'the item',
    `update animus.decisions set work_item_id = TWO, seq = 3 where work_item_id = ONE and seq = 4`,
    [
      ['changed', 'two', 3],
      ['replaced', 'two', 3],
    ],
  ],
])('%s was changed', async (_, sql, faults) => {
  await tamper(sql);
  expect((await found()).toSorted()).toEqual(faults.toSorted());
});

test.each([
  ['the first', 'seq = 1', [['missing', 'one', 2]]],
  ['one in the middle', 'seq = 2', [['missing', 'one', 3]]],
  [
    'several',
    'seq in (1, 3)',
    [
      ['missing', 'one', 2],
      ['missing', 'one', 4],
    ],
  ],
])('%s was removed', async (_, which, faults) => {
  await tamper(`delete from animus.decisions where work_item_id = ONE and ${which}`);
  expect(await found()).toEqual(faults);
});

test('one was removed, and the numbers were closed', async () => {
  await tamper(`delete from animus.decisions where work_item_id = ONE and seq = 2`);
  await tamper(`update animus.decisions set seq = seq - 1 where work_item_id = ONE and seq > 2`);
  expect(await found()).toEqual([
    ['reordered', 'one', 2],
    ['replaced', 'one', 2],
    ['reordered', 'one', 3],
  ]);
});

test('two were exchanged', async () => {
  await tamper(`update animus.decisions set seq = -seq where work_item_id = ONE and seq in (2, 3)`);
  await tamper(`update animus.decisions set seq = 5 + seq where work_item_id = ONE and seq < 0`);
  expect(await found()).toEqual([
    ['reordered', 'one', 2],
    ['replaced', 'one', 2],
    ['reordered', 'one', 3],
    ['replaced', 'one', 3],
    ['replaced', 'one', 4],
  ]);
});

test('one was added past the engine', async () => {
  await tamper(
    `insert into animus.decisions (work_item_id, action, decided_by, created_at) values (ONE, 'approve', 'mallory', now())`,
  );
  expect((await found()).map((fault) => (fault as unknown[])[0])).toEqual(['unchained']);
});

test.each(['whole', 'heads'])('the end of a chain was cut off: an earlier export (%s) shows it', async (kind) => {
  const earlier = await exported(...(kind === 'heads' ? ['--heads'] : []));
  await tamper(`delete from animus.decisions where work_item_id = ONE and seq >= 4 or target = 'engineer'`);
  expect(await found()).toEqual([]);
  expect((await found('--against', earlier)).toSorted()).toEqual([
    ['cut', 'engineer', 1],
    ['cut', 'one', 4],
  ]);
});

test.each(['whole', 'heads'])(
  'a chain was forged with correct hashes: an earlier export (%s) shows it',
  async (kind) => {
    const earlier = await exported(...(kind === 'heads' ? ['--heads'] : []));
    await tamper(`update animus.decisions set note = 'forged' where work_item_id = ONE and seq = 3`);
    await tamper(FORGE);
    expect(await found()).toEqual([]);
    const rewritten = await found('--against', earlier);
    expect(rewritten).toEqual(
      kind === 'heads'
        ? [['rewritten', 'one', 4]]
        : [
            ['rewritten', 'one', 3],
            ['rewritten', 'one', 4],
          ],
    );
  },
);

test('the export itself was changed', async () => {
  const file = join(directory, 'forged.jsonl');
  const { stdout } = await animus('audit', 'export');
  writeFileSync(file, stdout.replace('"decided_by":"', '"decided_by":"mallory'));
  expect(await found('--against', file)).toEqual([['export_changed', 'one', 1]]);
});
