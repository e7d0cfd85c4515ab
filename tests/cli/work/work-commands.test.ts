import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createInterrupts } from '../../../src/core/lifecycle/interrupts.ts';
import { claimWork, completeWork, failWork } from '../../../src/store/work/work.ts';
import { testDatabase } from '../../support/database.ts';
import { png } from '../../support/media-files.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { type RunOptions, run } from '../run-cli.ts';

const db = testDatabase();
const DAEMON = '00000000-0000-4000-8000-000000000001';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cli-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('work submit', () => {
  test('prints the id and whether it was created or merged', async () => {
    const created = await animus(['work', 'submit', 'merger', 'First', '--dedup-key', 'k']);
    expect(created).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[0-9a-f-]{36} {2}created {2}queued\n$/) });
    const merged = await animus(['work', 'submit', 'merger', 'Second', '--dedup-key', 'k']);
    expect(merged.stdout).toContain(`merged into ${created.stdout.slice(0, 36)}`);
  });

  test('accepts every field of a work item', async () => {
    writeFileSync(join(directory, 'params.json'), '{"pull_request": 17, "text": "a\\u0000b"}');
    const parent = await submit('parent');
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    const argv = ['full', '-', '--skill', 'review', '--params', '@params.json', '--priority', '-3', '--source', 'hook'];
    argv.push('--trigger', '[1]', '--parent', parent.slice(-8), '--run-at', '2099-01-01T00:00Z', '--json');
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
      trace_context: traceparent,
      run_at: new Date('2099-01-01T00:00Z'),
    });
  });

  test('only warns when no daemon serves the faculty', async () => {
    const { code, stderr } = await animus(['work', 'submit', 'nobodys', 'x']);
    expect(code).toBe(0);
    expect(stderr).toBe('animus: no faculty is named nobodys; the work stays queued until one is\n');
    await db.database.query(
      `select animus.register_daemon($1, 'h', 1, '0', 1, '{"nobodys": {}}'::jsonb, '[]'::jsonb)`,
      [DAEMON],
    );
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
    [['nowhere.png'], '--attach nowhere.png: there is no such file'],
    [['.'], '--attach .: is a directory'],
    [['zip'], "'zip' is neither PNG, JPEG, GIF, WebP, PDF nor text in UTF-8"],
    [['empty'], "'empty' is empty"],
    [['large'], '--attach large: has 10485761 bytes; at most 10485760'],
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
    const work = await claimOne('waited');
    await db.database.query(`select animus.append_ledger($1, 'plan', 'Think, then act')`, [work.id]);
    await runAndComplete(work, 'Done well');
    const { code, stdout } = await waiting;
    expect(code).toBe(0);
    expect(stdout).toContain('Think, then act');
    expect(stdout).toContain('Done well');
  });

  test('exits 1 when it died, with the item as one document', async () => {
    const waiting = animus(['work', 'submit', 'doomed', 'Do it', '--wait', '--json']);
    await failWork(db.database, await claimOne('doomed'), { code: 'x.y', message: 'no luck' }, null);
    const { code, stdout } = await waiting;
    expect(code).toBe(1);
    expect(JSON.parse(stdout).item).toMatchObject({ state: 'dead', error: { message: 'no luck' } });
  });

  test('of a duplicate waits for the work that it merged into', async () => {
    const first = await submit('shared', '--dedup-key', 'one');
    const waiting = animus(['work', 'submit', 'shared', 'again', '--dedup-key', 'one', '--wait', '--json']);
    await until(`select from animus.work_items where merged_into = $1`, first);
    await runAndComplete(await claimOne('shared'), 'for both');
    expect(JSON.parse((await waiting).stdout).item).toMatchObject({ id: first, state: 'completed' });
  });

  test('works for a login that may only submit', async () => {
    const logins: string[] = [];
    const own = await createLogin(db.connectionString, 'animus_submitter', logins);
    try {
      const waiting = animus(['work', 'submit', 'modest', 'Do it', '--wait'], { env: { DATABASE_URL: own } });
      const work = await claimOne('modest');
      await db.database.query(`select animus.append_ledger($1, 'plan', 'Think first')`, [work.id]);
      await runAndComplete(work, 'Done well');
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

  test('stops waiting when it is interrupted, and the work continues', async () => {
    const interrupts = createInterrupts(systemClock);
    const waiting = animus(['work', 'submit', 'patient', 'x', '--wait'], { interrupts });
    const { id } = await claimOne('patient');
    interrupts.receive('SIGINT');
    expect(await waiting).toMatchObject({ code: 130 });
    expect((await db.database.query('select state from animus.work_items where id = $1', [id]))[0]).toEqual({
      state: 'claimed',
    });
  });
});

describe('work list', () => {
  test('shows the newest first, filtered, as a table or as JSON', async () => {
    const [first, second] = [await submit('lister'), await submit('lister')];
    await submit('other');
    const { stdout } = await animus(['work', 'list', '--faculty', 'lister', '--json']);
    expect(JSON.parse(stdout).items.map((item: { id: string }) => item.id)).toEqual([second, first]);
    const table = await animus(['work', 'list', '--faculty', 'lister', '--state', 'queued', '--limit', '1']);
    expect(table.stdout.split('\n')).toHaveLength(3);
    expect(table.stdout).toContain(second.slice(-12));
    expect(await animus(['work', 'list', '--faculty', 'nothing'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'animus: no work items\n',
    });
  });

  test('no description can control or overflow the terminal', async () => {
    await submit('evil', '--source', 'x');
    await db.database.query(`insert into animus.work_items (faculty, description) values ('evil', $1)`, [
      `\u001b]0;owned\u0007\u001b[2J\n\u202e${'日本'.repeat(100)}`,
    ]);
    const { stdout } = await animus(['work', 'list', '--faculty', 'evil'], { terminal: 40 });
    for (const control of ['\u001b]', '\u001b[2J', '\u0007', '\u202e']) expect(stdout).not.toContain(control);
    expect(stdout).toContain('\\x1b]0;');
    const json = (await animus(['work', 'list', '--faculty', 'evil', '--json'])).stdout;
    expect(JSON.parse(json).items[0].description).toContain('\u001b]0;owned');
  });
});

describe('an id', () => {
  test('may be shortened to its end or its beginning if only one item matches', async () => {
    const id = await submit('cut');
    for (const reference of [
      id,
      id.toUpperCase(),
      id.slice(-12),
      id.slice(-8),
      id.slice(-17),
      id.replaceAll('-', '').slice(-17),
      id.slice(0, -1),
      id.replaceAll('-', ''),
    ]) {
      const { code, stdout } = await animus(['work', 'show', reference, '--json']);
      expect([reference, code]).toEqual([reference, 0]);
      expect(JSON.parse(stdout).item.id).toBe(id);
    }
  });

  test('that matches several items is refused with the candidates; one that matches none is not found', async () => {
    const id = await submit('twin');
    await submit('twin');
    const ambiguous = await animus(['work', 'show', id.slice(0, 4)]);
    expect(ambiguous.code).toBe(2);
    expect(ambiguous.stderr).toContain('matches several work items');
    expect(await animus(['work', 'show', 'ffffffffffff'])).toMatchObject({
      code: 3,
      stderr: 'animus: no work item ffffffffffff; find its id with: animus work list\n',
    });
    expect(await animus(['work', 'show', '12'])).toMatchObject({ code: 2 });
    expect(await animus(['work', 'show', "'; drop table"])).toMatchObject({ code: 2 });
  });
});

describe('work show', () => {
  test('draws the tree, the turns, the calls, the ledger and the outcome', async () => {
    const id = await submit('shown');
    const [child] = await db.database.query<{ id: string }>(
      `select id from animus.submit_work('helper', 'Look it up', parent_id => $1)`,
      [id],
    );
    await db.database.query(`select animus.submit_work('helper', 'Deeper', parent_id => $1)`, [child?.id]);
    const work = await claimOne('shown');
    const focus = await startFocus(work);
    await recordTurn(work, focus);
    await db.database.query(`select animus.append_ledger($1, 'finding', E'Line one\\nline two', $2)`, [
      id,
      work.leaseToken,
    ]);
    await completeWork(db.database, work, { fixed: true }, 'Fixed it');

    const { stdout } = await animus(['work', 'show', id.slice(-12)]);
    for (const expected of [
      'completed',
      '└─ ',
      '   └─ ',
      'Focus 1',
      'turn 1',
      'tool_use',
      '90 % cached',
      'read_file',
      'no such file',
    ]) {
      expect(stdout).toContain(expected);
    }
    expect(stdout).toContain('     Line one\n     line two\n');
    expect(stdout).toContain('  Fixed it\n');
    const shown = JSON.parse((await animus(['work', 'show', id, '--json'])).stdout);
    expect(shown).toMatchObject({
      item: { id, outcome: { fixed: true }, turns: 1 },
      children: [{ description: 'Look it up' }, { description: 'Deeper' }],
      foci: [
        { number: 1, turns: [{ turn: 1, input_tokens: 1000, tool_calls: [{ name: 'read_file', is_error: true }] }] },
      ],
      ledger: [{ seq: 1, type: 'finding' }],
    });
  });

  test('shows whole texts, and what the engine wrote into the context, with --full', async () => {
    const id = await submit('whole');
    const work = await claimOne('whole');
    const focus = await startFocus(work);
    await recordTurn(work, focus, `begin ${'x'.repeat(5000)} end`);
    const add = `select animus.add_message($1, $2, $3, $4, $5, 1, $6)`;
    await db.database.query(add, [focus, work.leaseToken, 0, 'orient', 'The first message', null]);
    await db.database.query(add, [focus, work.leaseToken, 1, 'stub', '[completed step]', 1]);
    const short = await animus(['work', 'show', id]);
    expect(short.stdout).not.toMatch(/The first message|x end/);
    const { stdout } = await animus(['work', 'show', id, '--full']);
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /orient The first message turn 1 .* Let me look\. read_file .* \{"path": ?"a\.txt"\} begin x+ end stub, in place of what came before turn 1 \[completed step\]/,
    );
    const shown = JSON.parse((await animus(['work', 'show', id, '--full', '--json'])).stdout);
    expect(shown.foci[0].messages).toMatchObject([
      { kind: 'orient', after_turn: 0 },
      { kind: 'stub', keeps_from: 1 },
    ]);
    expect(shown.foci[0].turns[0].tool_calls[0].output).toHaveLength(5010);
  });

  test('shortens no id, however narrow the terminal, and shows an answer once', async () => {
    const id = await submit('narrow');
    const work = await claimOne('narrow');
    await startFocus(work);
    await completeWork(db.database, work, { text: 'All done.\nReally.' }, 'All done.');
    const { stdout } = await animus(['work', 'show', id], { terminal: 20 });
    expect(stdout).toContain(`  id\n  ${id}\n`);
    expect(stdout.split('Outcome')[1]?.match(/All done\./g)).toHaveLength(1);
    expect(stdout).toContain('  Really.\n');
  });
});

describe('ledger', () => {
  test('appends as an operator and shows by type and number', async () => {
    const id = await submit('written');
    expect(await animus(['ledger', 'append', id, 'note', 'One'])).toMatchObject({
      code: 0,
      stdout: `note #1 appended to ${id}\n`,
    });
    await animus(['ledger', 'append', id, 'plan', '-'], { stdin: 'Old plan\n' });
    await animus(['ledger', 'append', id, 'plan', 'New plan']);
    const last = JSON.parse((await animus(['ledger', 'show', id, '--last', '1', '--json'])).stdout);
    expect(last.entries).toMatchObject([{ seq: 3, type: 'plan', content: 'New plan', focus_id: null }]);
    expect((await animus(['ledger', 'show', id, '--type', 'note'])).stdout).toMatch(
      /^#1 note .* by an operator\n {3}One\n$/,
    );
    expect((await animus(['ledger', 'show', id, '--formatted'])).stdout).toBe(
      '## Plan\nNew plan\n\n## Notes\n- One\n\n',
    );
  });

  test('refuses an invalid entry', async () => {
    const id = await submit('unwritten');
    expect(await animus(['ledger', 'append', id, 'musing', 'x'])).toMatchObject({ code: 2 });
    expect(await animus(['ledger', 'append', id, 'note', ''])).toMatchObject({ code: 2 });
    expect(await animus(['ledger', 'show', id, '--type', 'nots'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did you mean note?'),
    });
  });
});

describe('status', () => {
  test('shows states, queue, daemons and running work', async () => {
    await submit('unserved');
    const { stdout, code } = await animus(['status']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/unserved +1 .*no daemon serves this faculty/);
    expect(JSON.parse((await animus(['status', '--json'])).stdout)).toMatchObject({
      database: { kind: 'postgres' },
      states: { queued: expect.any(Number) },
    });
  });

  test('of an empty database says so', async () => {
    expect(await animus(['status'])).toMatchObject({ stdout: expect.not.stringContaining('undefined') });
  });
});

function animus(argv: readonly string[], options: RunOptions = {}) {
  const env = { DATABASE_URL: db.connectionString, ANIMUS_HOME: join(directory, 'home'), ...options.env };
  return run(argv, { cwd: directory, ...options, env });
}

async function submit(faculty: string, ...options: string[]): Promise<string> {
  const { stdout } = await animus(['work', 'submit', faculty, 'x', ...options]);
  return stdout.slice(0, 36);
}

/** Claims the faculty's item as soon as it exists. */
async function claimOne(faculty: string) {
  for (;;) {
    const [work] = await claimWork(
      db.database,
      DAEMON,
      { [faculty]: { max: 9, max_attempts: 1, dedup_until: 'resolved' } },
      1,
      60,
    );
    if (work !== undefined) return work;
    await db.database.query('select pg_sleep(0.02)');
  }
}

/** Resolves when the query about this id finds a row. */
async function until(sql: string, id: string): Promise<void> {
  while ((await db.database.query(sql, [id])).length === 0) await db.database.query('select pg_sleep(0.02)');
}

type Work = Awaited<ReturnType<typeof claimOne>>;

async function startFocus(work: Work): Promise<string> {
  const [focus] = await db.database.query<{ id: string }>(
    `select id from animus.start_focus($1, $2, 'host', '/tmp/foci', '{}'::jsonb, 'You help.', '[]'::json)`,
    [work.id, work.leaseToken],
  );
  return focus?.id ?? '';
}

async function runAndComplete(work: Work, summary: string): Promise<void> {
  await startFocus(work);
  await completeWork(db.database, work, {}, summary);
}

async function recordTurn(work: Work, focusId: string, output = 'no such file'): Promise<void> {
  const key = [focusId, work.leaseToken];
  await db.database.query('select animus.begin_turn($1, $2, 1)', key);
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
  await db.database.query('select animus.record_turn($1, $2, 1, $3::json, $4::json)', [
    ...key,
    JSON.stringify(answer),
    JSON.stringify([call]),
  ]);
  const result = { turn: 1, call_id: 'c1', state: 'done', output, is_error: true, duration_ms: 2 };
  await db.database.query('select animus.finish_tool_calls($1, $2, $3::jsonb)', [...key, JSON.stringify([result])]);
}
