import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { displayWidth, wrap } from '../../../src/terminal/view/display-width.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { openTerminal, screenOf } from '../../support/terminal.ts';

const LAUNCHER = new URL('../../../src/animus.js', import.meta.url).pathname;
const WIDE = 'Übersetze «日本語のテキスト» 👩‍💻 und erkläre, weshalb die Zeitzone fehlt';
const target = testDatabase();
let cwd: string;
let id: string;
let deadId: string;

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'narrow-'));
  const db = target.database;
  const [item] = await db.query<{ id: string }>(
    `insert into animus.work_items (faculty, description, params, dedup_key, source, trigger_info)
     values ('a-faculty-with-quite-a-long-name', $1, $2, repeat('schlüssel', 9), 'a program with a long name', '{"why": "because of this and that"}')
     returning id`,
    [WIDE, JSON.stringify({ 文書: WIDE })],
  );
  id = item!.id;
  await db.query('insert into animus.work_items (faculty, parent_id, description) values ($1, $2, $3)', [
    'f',
    id,
    WIDE,
  ]);
  const work = await beginFocus(db, { id });
  await recordCalls(db, work, 1, ['call_1', 'call_2'], 'a_tool_with_a_rather_long_name');
  const request = { reason: WIDE };
  await askPerson(db, work.key, 1, 'call_1', 'approval', { subject: 'tool_call', request, seconds: 60 });
  await db.query(`select animus.append_ledger($1, 'plan', $2)`, [id, `${WIDE}\n    ${WIDE.repeat(3)}`]);
  const dead = await beginFocus(db);
  deadId = dead.id;
  await db.query(`select animus.fail_work($1, $2, jsonb_build_object('message', $3::text), null)`, [
    dead.id,
    dead.leaseToken,
    `https://example.com/${'x'.repeat(90)} ${WIDE}`,
  ]);
  await db.query(
    `select animus.register_daemon(gen_random_uuid(), 'a-host-with-a-long-name.example.com', 4711, '0', 4, '{"日本": {}}', $1)`,
    [JSON.stringify([{ message: `a problem: ${WIDE}` }])],
  );
  await db.query(`insert into animus.pauses (faculty, reason, paused_by, created_at) values ('x', $1, 'y', now())`, [
    WIDE,
  ]);
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

describe('on a terminal of 40 columns', () => {
  test.each([
    ['status', () => ['status'], 0],
    ['list', () => ['work', 'list'], 0],
    ['show', () => ['work', 'show', id], 0],
    ['show of dead work', () => ['work', 'show', deadId], 0],
    ['tail', () => ['work', 'tail', deadId], 1],
    ['inbox', () => ['inbox'], 0],
    ['ledger', () => ['ledger', 'show', id], 0],
    ['config', () => ['config'], 0],
  ] as const)('no line of %s is longer, and nothing of an id is lost', async (name, argv, code) => {
    const terminal = openTerminal(`${process.execPath} ${LAUNCHER} ${argv().join(' ')}`, {
      columns: 40,
      cwd,
      env: { PATH: process.env['PATH'] ?? '', HOME: cwd, DATABASE_URL: target.connectionString },
    });
    expect(await terminal.ended).toBe(code);
    const lines = screenOf(terminal.written());
    expect(lines.length).toBeGreaterThan(2);
    // Commands are there to be copied, and stay whole.
    const prose = lines.filter((line) => !line.startsWith('  animus '));
    expect(prose.filter((line) => displayWidth(line) > 40)).toEqual([]);
    if (name === 'show') expect(lines.join('\n')).toContain(id);
  });
});

describe('a long line', () => {
  test.each([
    ['one two three four', 9, ['one two', 'three', 'four']],
    ['  indented text here', 12, ['  indented', '  text here']],
    ['日本語のテキスト', 7, ['日本語', 'のテキ', 'スト']],
    ['a verylongwordindeed b', 10, ['a', 'verylongwo', 'rdindeed b']],
    ['', 10, ['']],
  ])('%j in %i columns is %j', (line, width, expected) => {
    expect(wrap(line, width)).toEqual(expected);
  });
});
