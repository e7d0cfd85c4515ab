/** The commands that show and decide what waits for a person. */
import { describe, expect, test } from 'vitest';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { commandSite } from '../../cli/work/command-site.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus, type FocusedWork, itemOf } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';

const db = testDatabase();
const { animus } = commandSite(db);

const APPROVAL = {
  subject: 'tool_call',
  request: { reason: 'bash = "ask"', gate: 'permissions' },
  seconds: 3600,
} as const;

/** An item that waits: with a call of `bash` for each input. */
async function waiting(...inputs: readonly object[]): Promise<FocusedWork> {
  const work = await beginFocus(db.database);
  const { focusId } = work.key;
  await db.database.query('select animus.begin_turn($1, $2, 1)', [focusId, work.leaseToken]);
  const calls = inputs.map((input, index) => ({ call_id: `c${index + 1}`, name: 'bash', input, state: 'pending' }));
  const answer = '{"provider": "p", "model": "m", "content": [], "stop_reason": "tool_use"}';
  await db.database.query('select animus.record_turn($1, $2, 1, $3::json, $4::json)', [
    focusId,
    work.leaseToken,
    answer,
    JSON.stringify(calls),
  ]);
  for (const { call_id } of calls) await askPerson(db.database, work.key, 1, call_id, 'approval', APPROVAL);
  await parkWork(db.database, { id: work.id, leaseToken: work.leaseToken });
  return work;
}

const json = async (argv: readonly string[]) => JSON.parse((await animus([...argv, '--json'])).stdout);

describe('what waits', () => {
  test('is in inbox, work show, status and work tail, with the commands that decide it', async () => {
    const { id, faculty } = await waiting({ command: 'git push', timeout: 5 });
    const short = id.slice(-12);
    const ask = (await askOf(db.database, id, 'c1')).slice(-12);
    const { stdout } = await animus(['inbox', id]);
    expect(stdout).toContain(`${short}  ${faculty}  wants to run bash  asked `);
    expect(stdout).toContain(`  request  ${ask}\n  call     c1, turn 1\n  why      bash = "ask" (permissions)\n`);
    expect(stdout).toContain('    │ command: git push\n    │ timeout: 5\n');
    expect(stdout).toContain(
      `  animus work approve ${short} --ask ${ask}\n  animus work deny ${short} --ask ${ask} --note 'WHY'`,
    );
    expect((await animus(['work', 'show', id])).stdout).toContain('Waits for a person\n');
    const status = (await animus(['status'])).stdout;
    expect(status).toMatch(new RegExp(`FOR YOU[^]*${short}.*bash: \\{"command":"git push","timeout":5\\}`));
    const listed = await json(['inbox']);
    const [row] = listed.waiting.filter((one: { work_item_id: string }) => one.work_item_id === id);
    expect(row).toMatchObject({ call_id: 'c1', subject: 'tool_call', request: { input: { command: 'git push' } } });
    expect((await json(['work', 'show', id])).asked[0].hash).toBe(row.hash);
  });

  test('is shown from the record: nothing in it can look like a line of ours, and nothing is invisible', async () => {
    const { id } = await waiting({
      command: `ls\n  until    never\n\u001b[2Kecho\u200b \u202e safe`,
      '\n  why': 'fine',
    });
    const { stdout } = await animus(['inbox', id], { terminal: 60, env: { NO_COLOR: '1' } });
    expect(stdout).toContain('    │ command: ls\n    │   until    never\n    │ \\x1b[2Kecho\\u{200b} \\u202e safe\n');
    const lines = stdout.split('\n').filter((line) => !line.startsWith('    │ '));
    expect(lines.filter((line) => /never|fine/.test(line))).toEqual([]);
  });

  test('is cut if it is long, and whole with --full', async () => {
    const { id } = await waiting({ command: `start ${'x'.repeat(1_000_000)} end` });
    const { stdout } = await animus(['inbox', id]);
    expect(stdout.length).toBeLessThan(4000);
    expect(stdout).toContain(`998,019 more characters; see all of it: animus inbox ${id.slice(-12)} --full`);
    expect((await animus(['inbox', id, '--full'])).stdout).toContain(' end\n');
  });
});

describe('work approve', () => {
  test('decides the only call that waits, shows which, and wakes the item', async () => {
    const { id } = await waiting({ command: 'git push' });
    const { code, stdout } = await animus(['work', 'approve', id, '--note', 'go']);
    expect({ code, approved: stdout.includes('command: git push') && stdout.endsWith('approved\n') }).toEqual({
      code: 0,
      approved: true,
    });
    expect(await itemOf(db.database, id)).toMatchObject({ state: 'queued' });
    const again = await animus(['work', 'approve', id]);
    expect(again).toMatchObject({ code: 5 });
    expect(again.stderr).toMatch(/no approval is open for work item .*, which is queued/);
    const named = await animus(['work', 'approve', id, '--ask', (await askOf(db.database, id, 'c1')).slice(-12)]);
    expect(named.stderr).toMatch(/request .* of work item .* has been decided: approve by \w+ at/);
  });

  test('says what is wrong with a name, an answer to an approval, and a grant', async () => {
    const { id } = await waiting({ command: 'git push' });
    expect(await animus(['work', 'approve', id, '--ask', 'c9c9'])).toMatchObject({
      code: 3,
      stderr: `animus: no request c9c9 of work item ${id}\n`,
    });
    expect(await animus(['work', 'answer', id, 'yes'])).toMatchObject({
      code: 5,
      stderr: `animus: no question is open for work item ${id}, which waits for an approval: approve or deny it\n`,
    });
    expect(await animus(['work', 'revoke', '999'])).toMatchObject({ code: 3, stderr: 'animus: no grant 999\n' });
  });

  test('of several needs the name of one', async () => {
    const { id } = await waiting({ command: 'a' }, { command: 'b' });
    const which = await animus(['work', 'approve', id]);
    expect(which).toMatchObject({ code: 2 });
    const asks = await Promise.all(['c1', 'c2'].map((call) => askOf(db.database, id, call)));
    expect(which.stderr).toContain('waits for 2 decisions: ');
    for (const ask of asks) expect(which.stderr).toContain(ask);
    const [first, second] = asks;
    expect(await json(['work', 'approve', id, '--ask', second!])).toMatchObject({ ask_id: second, still_waiting: 1 });
    expect(await json(['work', 'deny', id, '--note', 'no'])).toMatchObject({ ask_id: first, still_waiting: 0 });
  });

  test('with another input records the edit, and with a hash of something else does nothing', async () => {
    const { id } = await waiting({ command: 'git push' });
    const other = await animus(['work', 'approve', id, '--hash', 'deadbeef']);
    expect(other).toMatchObject({ code: 5 });
    expect(other.stderr).toContain('has a different hash');
    const [{ hash }] = (await json(['inbox', id])).waiting;
    expect(await animus(['work', 'approve', id, '--input', '[1]'])).toMatchObject({ code: 2 });
    const argv = ['work', 'approve', id, '--hash', hash.slice(0, 12), '--input', '{"command": "git push origin fix"}'];
    expect(await animus(argv)).toMatchObject({ code: 0 });
    const actions = await db.database.query(
      'select action from animus.decisions where work_item_id = $1 order by seq',
      [id],
    );
    expect(actions).toEqual([{ action: 'edit' }, { action: 'approve' }]);
    const [call] = await db.database.query(
      `select final_input::text as input from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1`,
      [id],
    );
    expect(call).toEqual({ input: '{"command":"git push origin fix"}' });
  });

  test('--always also makes a grant, which is listed and can be revoked', async () => {
    const { id, faculty } = await waiting({ command: 'npm test' });
    expect(await animus(['work', 'approve', id, '--for', '1h'])).toMatchObject({ code: 2 });
    const { grant_id: grant } = await json(['work', 'approve', id, '--always=faculty', '--for', '2h']);
    const { grants } = await json(['work', 'grants']);
    expect(grants).toMatchObject([{ id: grant, scope: 'faculty', faculty, tool: 'bash', pattern: null }]);
    const hours = (Date.parse(grants[0].expires_at) - Date.parse(grants[0].created_at)) / 3_600_000;
    expect(hours).toBeCloseTo(2);
    expect((await animus(['work', 'grants'])).stdout).toContain(faculty);
    expect((await animus(['work', 'revoke', grant])).stdout).toBe(`grant ${grant}  revoked\n`);
    expect(await json(['work', 'grants'])).toEqual({ grants: [] });
  });

  test('only a number is revoked: anything else is a usage error', async () => {
    for (const grant of ['abc', '1'.repeat(20)]) {
      const refused = { code: 2, stderr: expect.stringContaining('is not the number of a grant') };
      expect(await animus(['work', 'revoke', grant])).toMatchObject(refused);
    }
  });

  test('--pattern becomes the key of a rule for the tool, and is refused if it is none', async () => {
    const { id } = await waiting({ command: 'npm test' });
    const argv = ['work', 'approve', id, '--always', '--pattern'];
    expect((await animus([...argv, 'a\tb'])).stderr).toContain('control characters');
    const { grant_id: grant } = await json([...argv, 'npm test*']);
    const [row] = (await json(['work', 'grants'])).grants;
    expect(row).toMatchObject({ id: grant, scope: 'item', work_item_id: id, pattern: 'bash(npm test*)', hash: null });
    await animus(['work', 'revoke', grant]);
  });
});

describe('work answer', () => {
  test('answers the question, from an argument or standard input', async () => {
    const work = await waiting({ command: 'x' });
    const asks = { subject: 'question', request: { question: 'Which?', choices: ['a', 'b'] }, seconds: null } as const;
    await db.database.query(`update animus.tool_calls set state = 'pending' where focus_id = $1`, [work.key.focusId]);
    await db.database.query(`update animus.work_items set state = 'queued' where id = $1`, [work.id]);
    const again = await beginFocus(db.database, { id: work.id });
    await askPerson(db.database, again.key, 1, 'c1', 'human', asks);
    expect((await animus(['inbox', work.id])).stdout).toContain('    │ Which?\n    │ 1. a\n    │ 2. b\n');
    expect(await animus(['work', 'approve', work.id])).toMatchObject({ code: 5 });
    expect((await animus(['work', 'answer', work.id, '-'], { stdin: 'the first\n' })).stdout).toMatch(
      /  [0-9a-f]{12}  answered/,
    );
    const [row] = await db.database.query(
      `select result ->> 'answer' as answer from animus.waits where work_item_id = $1`,
      [work.id],
    );
    expect(row).toEqual({ answer: 'the first' });
  });
});
