import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startAnthropicServer, text, toolUse } from '../support/model-server/anthropic.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const FACULTY = `
[faculty]
name = "clerk"
[faculty.engage]
model = "claude-sonnet-4-5"
system_prompt = "You keep the books."
tools = ["bash", "write_file"]
[faculty.consolidate]
command = "true"
`;

/** A plan, a file, a command, a wait, a step, the end: every kind of write that a focus makes. */
const ANSWERS = [
  {
    content: [
      toolUse('t1', 'ledger_append', { type: 'plan', content: 'write, wait, end' }),
      toolUse('t2', 'write_file', { path: 'book.txt', content: 'x' }),
      toolUse('t3', 'bash', { command: 'seq 1 20000' }),
      toolUse('t4', 'wait_until', { seconds: 1, reason: 'ink' }),
    ],
  },
  { content: [toolUse('t5', 'ledger_append', { type: 'step', content: 'written' })] },
  { content: [text('The book is written.')] },
];

describe('a daemon whose login is only a member of animus_daemon', () => {
  const pg = testDatabase();
  const logins: string[] = [];
  afterAll(() => dropLogins(logins));
  const as = (role: string) => createLogin(pg.connectionString, role, logins);

  it('can do everything: work of a submitter, of a schedule, of the inbox; nothing is refused', async () => {
    const asked = new Map<string, number>();
    const server = await startAnthropicServer((body) => {
      const whose = /course \w+/.exec(JSON.stringify(body['messages']))![0];
      asked.set(whose, (asked.get(whose) ?? 0) + 1);
      return ANSWERS[asked.get(whose)! - 1]!;
    });
    onTestFinished(() => server.close());
    const config = '[daemon]\npoll_seconds = 1\n[retention]\nresolved_days = 1\n';
    const site = makeSite({
      modelUrl: server.url,
      databaseUrl: await as('animus_daemon'),
      config,
      faculties: { clerk: FACULTY },
    });
    const daemon = await startDaemon(site);

    const submitter = openPostgres(await as('animus_submitter'), { poolSize: 1 });
    onTestFinished(() => submitter.close());
    await submitter.query(`insert into animus.work_items (faculty, description) values ('clerk', 'course insert')`);
    const operator = { ...site, env: { ...site.env, DATABASE_URL: await as('animus_operator') } };
    expect(
      await runAnimus(operator, ['schedule', 'add', 'yearly', '0 0 1 1 *', 'clerk', 'course schedule']),
    ).toMatchObject({ exit: 0 });
    expect(await runAnimus(operator, ['schedule', 'run', 'yearly'])).toMatchObject({ exit: 0 });
    await pg.database.query(
      `select pgmq.send('animus_inbox'::text, '{"faculty": "clerk", "description": "course inbox"}'::jsonb)`,
    );

    const items = await eventually(
      'all three have ended',
      async () => {
        const rows = await pg.database.query(
          'select description, state, attempts from animus.work_items where resolved_at is not null order by description',
        );
        return rows.length === 3 ? rows : null;
      },
      40,
    );
    expect(items).toEqual(
      ['inbox', 'insert', 'schedule'].map((way) => ({ description: `course ${way}`, state: 'completed', attempts: 0 })),
    );
    expect(server.requests.every(({ refused }) => refused === null)).toBe(true);
    await daemon.kill('SIGTERM');
    expect(await daemon.exited).toBe(0);
    expect(daemon.output()).not.toMatch(/denied|may not do|may not act/);
  }, 180_000);

  it('and the commands of the other roles work, or say what is missing', async () => {
    const site = makeSite({ modelUrl: 'http://127.0.0.1:1', faculties: { clerk: FACULTY }, firstStart: true });
    const with_ = async (role: string): Promise<Site> => ({
      ...site,
      env: { ...site.env, DATABASE_URL: await as(role) },
    });
    const submitter = await with_('animus_submitter');
    const submitted = await runAnimus(submitter, ['work', 'submit', 'nobody', 'x', '--json']);
    expect(submitted).toMatchObject({ exit: 0, stderr: '' });
    const { id } = JSON.parse(submitted.stdout) as { id: string };
    expect(await runAnimus(submitter, ['work', 'list'])).toMatchObject({
      exit: 0,
      stdout: expect.stringContaining(id.slice(-12)),
    });
    expect(await runAnimus(submitter, ['work', 'show', id])).toMatchObject({
      exit: 0,
      stderr: expect.stringContaining('its turns, calls and waits need the role animus_reader'),
    });
    expect(await runAnimus(submitter, ['status'])).toMatchObject({
      exit: 5,
      stderr: expect.stringMatching(
        /permission denied for .*; the login \w+ has animus_submitter, and this needs animus_reader or animus_operator; .*grant animus_reader to/,
      ),
    });

    const reader = await with_('animus_reader');
    for (const argv of [
      ['status'],
      ['work', 'list'],
      ['work', 'show', id],
      ['ledger', 'show', id],
      ['schedule', 'list'],
      ['db', 'status'],
    ]) {
      expect(await runAnimus(reader, argv)).toMatchObject({ exit: 0 });
    }
    expect(await runAnimus(reader, ['work', 'cancel', id])).toMatchObject({ exit: 5 });
    // It listens, watches, and gets the notification of an end that happens meanwhile.
    const tail = runAnimus(reader, ['work', 'tail', id]);
    await eventually('the item is watched', async () => {
      const [row] = await pg.database.query('select from animus.watches where work_item_id = $1', [id]);
      return row ?? null;
    });
    await pg.database.query('select animus.cancel_work($1)', [id]);
    expect(await tail).toMatchObject({ exit: 1, stdout: expect.stringContaining('cancelled') });
    await pg.database.query('select animus.retry_work($1)', [id]);

    const operator = await with_('animus_operator');
    for (const argv of [
      ['work', 'cancel', id],
      ['work', 'retry', id],
      ['pause'],
      ['resume'],
      ['ledger', 'append', id, 'note', 'x'],
      ['work', 'submit', 'clerk', 'y'],
    ]) {
      expect(await runAnimus(operator, argv)).toMatchObject({ exit: 0 });
    }
    expect(await runAnimus(operator, ['db', 'migrate'])).toMatchObject({ exit: 0 });
  }, 180_000);
});
