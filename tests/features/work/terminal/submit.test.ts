import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../../src/core/lifecycle/interrupts.ts';
import { reportSkills } from '../../../../src/store/skills/written-skills.ts';
import { askPerson } from '../../../../src/store/transcript/approvals.ts';
import { parkWork } from '../../../../src/store/transcript/waits.ts';
import { failWork } from '../../../../src/store/work/work.ts';
import { commandSite } from '../../../cli/work/command-site.ts';
import { askOf } from '../../../support/ask-of.ts';
import { testDatabase } from '../../../support/database.ts';
import { png } from '../../../support/media-files.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';
import { skillText } from '../../../support/skill-tree.ts';
import { claimOne, registerDaemon, runAndComplete, startFocus, until } from './worked-item.ts';

const db = testDatabase();
const { directory, animus, submit } = commandSite(db);

describe('work submit', () => {
  test('prints the id and whether it was created or merged', async () => {
    const created = await animus(['work', 'submit', 'merger', 'First', '--dedup-key', 'k']);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36} {2}created {2}queued\n$/) });
    const merged = await animus(['work', 'submit', 'merger', 'Second', '--dedup-key', 'k']);
    expect(merged.stdout).toContain(`merged into ${created.stdout.slice(0, 36)}`);
  });

  test('refuses an empty task from standard input, and stores nothing', async () => {
    for (const stdin of ['', ' \n'])
      expect(await animus(['work', 'submit', 'emptied', '-'], { stdin })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('standard input is empty'),
      });
    expect(await db.database.query(`select from animus.work_items where faculty = 'emptied'`)).toEqual([]);
  });

  test('accepts every field of a work item', async () => {
    writeFileSync(join(directory, 'params.json'), '{"pull_request": 17, "text": "a\\u0000b"}');
    const parent = await submit('parent');
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const argv = ['full', '-', '--skill', 'review', '--params', '@params.json', '--priority', '-3', '--source', 'hook'];
    argv.push('--trigger', '[1]', '--parent', parent.slice(-8), '--run-at', '2099-01-01T00:00Z', '--json');
    argv.push('--detached');
    const { stdout } = await animus(['work', 'submit', ...argv], {
      stdin: 'From a\npipe\n',
      env: { TRACEPARENT: traceparent },
    });
    const submitted = JSON.parse(stdout);
    expect(submitted).toMatchObject({ result: 'created', state: 'scheduled', merged_into: null });
    const [row] = await db.database.query('select * from animus.work_items where id = $1', [submitted.id]);
    expect(row).toMatchObject({
      faculty: 'full',
      description: 'From a\npipe',
      skill: 'review',
      params: { pull_request: 17, text: 'a\ufffdb' },
      priority: -3,
      source: 'hook',
      trigger_info: [1],
      parent_id: parent,
      detached: true,
      trace_context: traceparent,
      run_at: new Date('2099-01-01T00:00Z'),
    });
  });

  test('warns when nobody has the skill: of those here, or of those that daemons have reported', async () => {
    await registerDaemon(db.database, 'skilled');
    const submitted = async (skill: string) =>
      (await animus(['work', 'submit', 'skilled', 'x', '--skill', skill])).stderr;
    for (const name of ['review', 'debugging']) {
      mkdirSync(join(directory, 'skills', name), { recursive: true });
      writeFileSync(join(directory, 'skills', name, 'SKILL.md'), skillText(name));
    }
    expect(await submitted('review')).toBe('');
    expect(await submitted('reviw')).toMatch(/^animus: no skill is named reviw \(did you mean review.* ends as dead/);
    await reportSkills(db.database, 'elsewhere', [{ name: 'reviw', origin: 'person', hash: 'a' }]);
    expect(await submitted('reviw')).toBe('');
    expect(await submitted('debugging')).toContain('no skill is named debugging');
  });

  test('only warns when no daemon serves the faculty', async () => {
    const { code, stderr } = await animus(['work', 'submit', 'nobodys', 'x']);
    expect(code).toBe(0);
    expect(stderr).toBe('animus: no faculty is named nobodys; the work stays queued until one is\n');
    await registerDaemon(db.database, 'nobodys');
    expect((await animus(['work', 'submit', 'nobodys', 'x'])).stderr).toBe('');
    expect((await animus(['work', 'submit', 'nobody', 'x'])).stderr).toContain('did you mean nobodys?');
  });

  test('attaches files, and work show lists them', async () => {
    writeFileSync(join(directory, 'photo.png'), png());
    writeFileSync(join(directory, 'notes'), 'words');
    const attach = ['--attach', 'photo.png', '--attach', join(directory, 'notes')];
    const { stdout } = await animus(['work', 'submit', 'clerk', 'Look', ...attach, '--json']);
    const { id } = JSON.parse(stdout) as { id: string };
    const shown = await animus(['work', 'show', id]);
    expect(shown.stdout).toMatch(
      /\nFiles\n {2}notes {2}5 B {2}text\/plain {2}[0-9a-f-]{36}\n {2}photo.png {2}\d+ B {2}image\/png {2}[0-9a-f-]{36}\n/,
    );
    const { artifacts, item } = JSON.parse((await animus(['work', 'show', id, '--json'])).stdout);
    expect(artifacts.map((file: { name: string }) => file.name)).toEqual(['notes', 'photo.png']);
    expect(item.params.attachments).toEqual([artifacts[1].id, artifacts[0].id]);
  });

  test.each([
    [['nowhere.png'], 'cannot attach nowhere.png: there is no such file'],
    [['.'], 'cannot attach .: is a directory'],
    [['zip'], "'zip' is neither PNG, JPEG, GIF, WebP, PDF nor text in UTF-8"],
    [['empty'], "'empty' is empty"],
    [['large'], 'cannot attach large: has 10485761 bytes; at most 10485760'],
  ])('refuses to attach %s, and submits nothing', async (files, expected) => {
    writeFileSync(join(directory, 'zip'), Buffer.from([80, 75, 3, 4, 0]));
    writeFileSync(join(directory, 'empty'), '');
    writeFileSync(join(directory, 'large'), Buffer.alloc(10 * 1024 * 1024 + 1, 'x'));
    const { code, stderr } = await animus([
      'work',
      'submit',
      'careful',
      'x',
      ...files.flatMap((file) => ['--attach', file]),
    ]);
    expect(stderr).toContain(expected);
    expect(code).not.toBe(0);
    expect(await db.database.query(`select from animus.work_items where faculty = 'careful'`)).toEqual([]);
  });

  test.each([
    [['--params', '{'], '--params: expected JSON'],
    [['--params', '[1]'], '--params: expected a JSON object, got [1]'],
    [['--params', '@nowhere.json'], 'nowhere.json'],
    [['--priority', '1.5'], '--priority: expected a whole number'],
    [['--run-at', 'tomorrow'], '--run-at: expected a time such as'],
    [['--run-at', '2026-02-31T99:00'], '--run-at: expected a time such as'],
  ])('refuses %j as a usage error', async (options, expected) => {
    const { code, stderr } = await animus(['work', 'submit', 'x', 'y', ...options]);
    expect(stderr).toContain(expected);
    expect(code).toBe(2);
  });

  test('reports what the database refuses', async () => {
    const missing = '01900000-0000-7000-8000-000000000000';
    expect(await animus(['work', 'submit', 'x', '--parent', missing])).toMatchObject({ code: 3 });
    const { code, stderr } = await animus(['work', 'submit', 'Not A Name', 'x', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stderr).error).toMatchObject({
      code: 'work.invalid',
      message: expect.stringContaining('Not A Name'),
    });
  });
});

describe('work submit --wait', () => {
  test('waits until the work has ended and exits 0 when it completed', async () => {
    const waiting = animus(['work', 'submit', 'waited', 'Do it', '--wait']);
    const work = await claimOne(db.database, 'waited');
    await db.database.query(`select animus.append_ledger($1, 'plan', 'Think, then act')`, [work.id]);
    await runAndComplete(db.database, work, 'Done well');
    const { code, stdout } = await waiting;
    expect(code).toBe(0);
    expect(stdout).toContain('Think, then act');
    expect(stdout).toContain('Done well');
  });

  test('exits 1 when it died, with the item as one document', async () => {
    const waiting = animus(['work', 'submit', 'doomed', 'Do it', '--wait', '--json']);
    await failWork(db.database, await claimOne(db.database, 'doomed'), { code: 'x.y', message: 'no luck' }, null);
    const { code, stdout } = await waiting;
    expect(code).toBe(1);
    expect(JSON.parse(stdout).item).toMatchObject({ state: 'dead', error: { message: 'no luck' } });
  });

  test('of a duplicate waits for the work that it merged into', async () => {
    const first = await submit('shared', '--dedup-key', 'one');
    const waiting = animus(['work', 'submit', 'shared', 'again', '--dedup-key', 'one', '--wait', '--json']);
    await until(db.database, `select from animus.work_items where merged_into = $1`, first);
    await runAndComplete(db.database, await claimOne(db.database, 'shared'), 'for both');
    expect(JSON.parse((await waiting).stdout).item).toMatchObject({ id: first, state: 'completed' });
  });

  test('works for a login that may only submit', async () => {
    const logins: string[] = [];
    const own = await createLogin(db.connectionString, 'animus_submitter', logins);
    try {
      const waiting = animus(['work', 'submit', 'modest', 'Do it', '--wait'], { env: { DATABASE_URL: own } });
      const work = await claimOne(db.database, 'modest');
      await db.database.query(`select animus.append_ledger($1, 'plan', 'Think first')`, [work.id]);
      await runAndComplete(db.database, work, 'Done well');
      expect(await waiting).toMatchObject({ code: 0, stdout: expect.stringMatching(/Think first[^]*Done well/) });
    } finally {
      await dropLogins(logins);
    }
  });

  test('its submitter may cancel it, and finds no work of others', async () => {
    const logins: string[] = [];
    const env = { DATABASE_URL: await createLogin(db.connectionString, 'animus_submitter', logins) };
    try {
      const foreign = await submit('modest');
      const own = JSON.parse((await animus(['work', 'submit', 'modest', 'x', '--json'], { env })).stdout);
      const cancel = (id: string) => animus(['work', 'cancel', id, '--json'], { env });
      for (const id of [foreign, foreign.slice(-12)]) expect(await cancel(id)).toMatchObject({ code: 3 });
      expect(JSON.parse((await cancel(own.id.slice(-12))).stdout)).toMatchObject({ id: own.id, cancelled: true });
      const made = await db.database.query('select decided_by, note from animus.decisions where work_item_id = $1', [
        own.id,
      ]);
      expect(made).toEqual([{ decided_by: logins[0], note: 'cancelled by its submitter' }]);
    } finally {
      await dropLogins(logins);
    }
  });

  test('shows what waits for a person, and the commands that decide it', async () => {
    const waiting = animus(['work', 'submit', 'asker', 'Do it', '--wait']);
    const work = await claimOne(db.database, 'asker');
    const key = { workItemId: work.id, leaseToken: work.leaseToken, focusId: await startFocus(db.database, work) };
    const turn = [key.focusId, key.leaseToken];
    await db.database.query('select animus.begin_turn($1, $2, 1)', turn);
    const answer = '{"provider": "p", "model": "m", "content": [], "stop_reason": "tool_use"}';
    const call = '[{"call_id": "c1", "name": "bash", "input": {"command": "make"}, "state": "pending"}]';
    await db.database.query('select animus.record_turn($1, $2, 1, $3, $4)', [...turn, answer, call]);
    const asks = { subject: 'tool_call', request: { reason: 'a rule', gate: 'permissions' }, seconds: 60 } as const;
    await askPerson(db.database, key, 1, 'c1', 'approval', asks);
    await parkWork(db.database, work);
    // Having seen the state, it reads what waits, and then sleeps: this was its last query.
    const looked = `select from pg_stat_activity where $1::uuid is not null and pid <> pg_backend_pid() and state = 'idle' and query like '%visible_item_asks where work_item_id%'`;
    await until(db.database, looked, work.id);
    await db.database.query(`select animus.cancel_work($1)`, [work.id]);
    const { stdout } = await waiting;
    expect(stdout).toContain('wants to run bash');
    const ask = (await askOf(db.database, work.id, 'c1')).slice(-12);
    expect(stdout).toContain(`animus work approve ${work.id.slice(-12)} --ask ${ask}`);
  });

  test('stops waiting when it is interrupted, and the work continues', async () => {
    const interrupts = createInterrupts(systemClock);
    const waiting = animus(['work', 'submit', 'patient', 'x', '--wait'], { interrupts });
    const { id } = await claimOne(db.database, 'patient');
    interrupts.receive('SIGINT');
    expect(await waiting).toMatchObject({ code: 130 });
    expect((await db.database.query('select state from animus.work_items where id = $1', [id]))[0]).toEqual({
      state: 'claimed',
    });
  });
});
