import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { decisionHash } from '../../../src/features/audit/chain.ts';
import type { Decision } from '../../../src/features/audit/rows.ts';
import { run } from '../../cli/run-cli.ts';
import { insertWork } from '../../store/work/queue-driver.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const NOTE = '=1+1, "quoted"\nand a second line \u202e';
let directory: string;
let id: string;
const animus = (...argv: string[]) => run(argv, { env: { DATABASE_URL: target.connectionString }, cwd: directory });

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'audit-'));
  id = await insertWork(target.database);
  await target.database.query('select animus.cancel_work($1, $2)', [id, NOTE]);
  for (const at of ['2026-01-31T23:59:59.999999Z', '2026-02-01T00:00:00Z', '2026-02-28T12:00:00Z']) {
    await target.database.query(
      `insert into animus.decisions (target, action, decided_by, created_at) values ('engineer', 'pause', 'ada', $1)`,
      [at],
    );
  }
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const linesOf = (stdout: string) => stdout.split('\n').filter((line) => line !== '');

describe('animus audit export', () => {
  test.each([[], ['--json']])(
    'prints a line of JSON per decision, oldest first, exactly as it is stored %j',
    async (...options) => {
      const { code, stdout } = await animus('audit', 'export', ...options);
      const rows = linesOf(stdout).map((line) => JSON.parse(line) as Decision);
      expect([code, rows.length]).toEqual([0, 4]);
      expect(rows.map((row) => row.created_at).slice(0, 2)).toEqual([
        '2026-01-31T23:59:59.999999Z',
        '2026-02-01T00:00:00.000000Z',
      ]);
      expect(rows[3]).toMatchObject({ action: 'cancel', note: NOTE, work_item_id: id, seq: 1, faculty: 'engineer' });
      for (const row of rows) expect(decisionHash(row)).toBe(row.hash);
      expect(stdout).not.toContain('\u202e');
    },
  );

  test('of a time includes its beginning and not its end', async () => {
    const { stdout } = await animus('audit', 'export', '--since', '2026-02-01', '--until', '2026-02-28T12:00:00Z');
    expect(linesOf(stdout).map((line) => JSON.parse(line).created_at)).toEqual(['2026-02-01T00:00:00.000000Z']);
    expect(await animus('audit', 'export', '--until', '2020-01-01')).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('as CSV is one line per decision, with nothing that a spreadsheet runs or a terminal obeys', async () => {
    const { code, stdout } = await animus('audit', 'export', '--format', 'csv');
    const [head, ...rows] = linesOf(stdout);
    expect([code, rows.length]).toEqual([0, 4]);
    expect(head).toMatch(/^id,created_at,decided_by,action,note,/);
    expect(rows[3]).toContain(`"'=1+1, ""quoted"" and a second line \\u202e"`);
    expect(rows[0]).toMatch(/^\d+,2026-01-31T23:59:59.999999Z,ada,pause,,false,,engineer,/);
  });

  test('of the heads prints the newest decision of each chain', async () => {
    const { stdout } = await animus('audit', 'export', '--heads');
    const heads = linesOf(stdout).map((line) => JSON.parse(line) as Decision);
    expect(heads.map((head) => [head.work_item_id ?? head.target, head.seq])).toEqual([
      [id, 1],
      ['engineer', 3],
    ]);
  });

  test.each([
    ['--heads', '--format', 'csv'],
    ['--heads', '--since', '2026-01-01'],
    ['--json', '--format', 'csv'],
    ['--since', 'yesterday'],
    ['--format', 'xml'],
  ])('refuses %s %s %s %s', async (...options) => {
    expect(await animus('audit', 'export', ...options.filter((one) => one !== undefined))).toMatchObject({
      code: 2,
      stdout: '',
    });
  });
});

describe('animus audit verify', () => {
  test('says that the chains are intact', async () => {
    expect(await animus('audit', 'verify')).toEqual({
      code: 0,
      stdout: 'intact   4 decisions in 2 chains\n',
      stderr: '',
    });
    expect(JSON.parse((await animus('audit', 'verify', '--json')).stdout)).toEqual({
      intact: true,
      decisions: 4,
      chains: 2,
      erased: 0,
      compared: null,
      faults: [],
    });
  });

  test('compares with an earlier export, from the working directory', async () => {
    writeFileSync(join(directory, 'all.jsonl'), (await animus('audit', 'export')).stdout);
    expect((await animus('audit', 'verify', '--against', 'all.jsonl')).stdout).toBe(
      'intact   4 decisions in 2 chains, compared with 4 exported decisions\n',
    );
  });

  test('an export that ends before it begins is refused', async () => {
    const { code, stderr } = await animus('audit', 'export', '--since', '2026-02-01', '--until', '2026-01-01');
    expect(code).toBe(2);
    expect(stderr).toContain('--since must be before --until');
  });

  test.each([
    ['nosuch.jsonl', /nosuch\.jsonl: the file does not exist/],
    ['text', /line 1 is not JSON/],
    ['{"id": 1}', /line 1 is not a decision/],
  ])('refuses %s as an export', async (content, message) => {
    const file = content === 'nosuch.jsonl' ? content : 'broken.jsonl';
    if (file !== content) writeFileSync(join(directory, file), content);
    expect(await animus('audit', 'verify', '--against', file)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(message),
    });
  });

  test('says where a chain is broken', async () => {
    await target.database.transaction(async (tx) => {
      await tx.query('set local session_replication_role = replica');
      await tx.query(`delete from animus.decisions where target = 'engineer' and seq = 2`);
    });
    const { code, stdout } = await animus('audit', 'verify');
    expect(code).toBe(1);
    expect(stdout).toMatch(
      /^broken {3}target engineer, number 3 \(decision \d+\): number 2 is missing before it\nbroken {3}3 decisions in 2 chains, 1 fault\n$/,
    );
  });
});
