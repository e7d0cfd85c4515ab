/** Approvals and questions with real daemons that are killed, and people who decide at once. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { askOf } from '../support/ask-of.ts';
import { LAUNCHER, makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { type AnthropicAnswer, text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { type Moment, startPostgresProxy } from '../support/postgres-proxy.ts';

const CONFIG = '[daemon]\nlease_seconds = 5\npoll_seconds = 1\nmax_concurrent = 1\n';
const pg = testDatabase();

describe('a call that needs an approval', () => {
  it('is decided while no daemon runs, and runs once, in a daemon that did not ask', async () => {
    const { site, id, server, ran } = await asking([toolUse('run', 'bash', { command: 'echo ran >> ran.txt' })]);
    const first = await startDaemon(site);
    await waits(id, 1);
    await first.kill('SIGKILL');
    const submitted = await runAnimus(site, ['work', 'approve', id, '--note', 'go']);
    expect(submitted).toMatchObject({ exit: 0 });
    await Promise.all([startDaemon(site), startDaemon(site)]);
    await ends(id, 'completed');
    expect(ran(), JSON.stringify(server.requests.map(({ json }) => json?.['messages']))).toBe(1);
    expect(server.requests).toHaveLength(2);
    const decisions = await pg.database.query(
      'select action, call_id, note from animus.decisions where work_item_id = $1',
      [id],
    );
    expect(decisions).toEqual([{ action: 'approve', call_id: 'run', note: 'go' }]);
  }, 180_000);

  it('is decided once if several people decide at once', async () => {
    const { site, id, ran } = await asking([toolUse('run', 'bash', { command: 'echo ran >> ran.txt' })]);
    await startDaemon(site);
    await waits(id, 1);
    const ask = await askOf(pg.database, id, 'run');
    const commands = ['approve', 'approve', 'approve'].map((verb) => runAnimus(site, ['work', verb, id, '--ask', ask]));
    const exits = (await Promise.all(commands)).map(({ exit }) => exit);
    expect(exits.toSorted()).toEqual([0, 5, 5]);
    await ends(id, 'completed');
    expect(ran()).toBe(1);
    expect(await pg.database.query('select from animus.decisions where work_item_id = $1', [id])).toHaveLength(1);
  }, 180_000);

  it('cannot be approved by a command of the agent, and its credential is nowhere to be found', async () => {
    const approve = `${process.execPath} ${LAUNCHER} work approve $ANIMUS_WORK_ID; echo "exit $?"; env | grep -c DATABASE_URL`;
    const { site, id, server } = await asking(
      [toolUse('own', 'bash', { command: approve }), toolUse('run', 'write_file', { path: 'x', content: 'x' })],
      { isolated: true },
    );
    await startDaemon(site);
    await waits(id, 1);
    await runAnimus(site, ['work', 'deny', id, '--note', 'no']);
    await ends(id, 'completed');
    const results = resultsIn(server.requests[1]!.json!);
    expect(results.own).toMatch(/exit 5\n0\n/);
    expect(results.own).toContain('commands inside a work item do not open the embedded database');
    expect(results.run).toMatch(/denied this call at .* The reason given: no/);
  }, 180_000);
});

/** What the daemon calls on the way of a call that is asked about. */
const ARROWS: readonly { readonly call: string; readonly moment: Moment; readonly ran: number }[] = [
  { call: 'ask_person', moment: 'before', ran: 1 },
  { call: 'ask_person', moment: 'after', ran: 1 },
  { call: 'park_work', moment: 'before', ran: 1 },
  { call: 'park_work', moment: 'after', ran: 1 },
  { call: 'start_call', moment: 'before', ran: 1 },
  // It may have run: the model is told so, and it is not run again.
  { call: 'start_call', moment: 'after', ran: 0 },
];

it.each(ARROWS)(
  'a daemon killed $moment $call: asked once, decided once, run at most once',
  async ({ call, moment, ran: times }) => {
    const proxy = await startPostgresProxy(pg.connectionString);
    const { site, id, server, ran } = await asking([toolUse('run', 'bash', { command: 'echo ran >> ran.txt' })], {
      databaseUrl: proxy.url,
    });
    const killed = Promise.withResolvers<void>();
    let pid: number | null = null;
    let isKilled = false;
    proxy.watch((name, when) => {
      if (isKilled || pid === null || name !== call || when !== moment) return isKilled ? 'cut' : 'pass';
      isKilled = true;
      process.kill(pid, 'SIGKILL');
      killed.resolve();
      return 'cut';
    });
    const first = await startDaemon(site, [], {}, (spawned) => {
      pid = spawned;
    });
    if (call === 'start_call') await decide(id);
    await killed.promise;
    await first.exited;
    await pg.database.query(
      `update animus.work_items set lease_expires_at = animus.now() - interval '1 s' where id = $1 and state in ('claimed', 'running')`,
      [id],
    );
    proxy.watch(() => 'pass');
    await startDaemon(site);
    if (call !== 'start_call') await decide(id);
    await ends(id, 'completed');
    expect(ran()).toBe(times);
    expect(server.requests).toHaveLength(2);
    const [sums] = await pg.database.query(
      `select (select count(*)::int from animus.decisions where work_item_id = $1) as decisions,
            (select count(*)::int from animus.waits where work_item_id = $1) as waits,
            (select array_agg(c.state) from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1) as states`,
      [id],
    );
    expect(sums).toEqual({ decisions: 1, waits: 1, states: [times === 0 ? 'in_doubt' : 'done'] });
  },
  120_000,
);

it('a question is answered on the command line while no daemon runs', async () => {
  const { site, id, server } = await asking([toolUse('q', 'ask_human', { question: 'Which branch?' })]);
  const first = await startDaemon(site);
  await waits(id, 1);
  await first.kill('SIGTERM');
  expect((await runAnimus(site, ['inbox'])).stdout).toContain('│ Which branch?');
  expect(await runAnimus(site, ['work', 'answer', id, 'next'])).toMatchObject({ exit: 0 });
  await startDaemon(site);
  await ends(id, 'completed');
  expect(resultsIn(server.requests[1]!.json!).q).toMatch(/answered at .*:\nnext$/);
}, 180_000);

interface AskingOptions {
  readonly databaseUrl?: string;
  /** Default: a directory of the test and no isolation, so that the test can look at what ran; commands need an approval. */
  readonly isolated?: boolean;
}

/** An item whose model makes these calls and then ends. */
async function asking(calls: AnthropicAnswer['content'], { databaseUrl, isolated = false }: AskingOptions = {}) {
  const server = await startModelServer((body) =>
    JSON.stringify(body['messages']).includes('tool_result') ? { content: [text('Done.')] } : { content: calls },
  );
  onTestFinished(() => server.close());
  const faculty = `clerk-${crypto.randomUUID().slice(0, 8)}`;
  const site = siteOf(server, faculty, databaseUrl ?? pg.connectionString, isolated);
  const [row] = await pg.database.query<{ id: string }>(
    'insert into animus.work_items (faculty, description) values ($1, $1) returning id',
    [faculty],
  );
  const file = join(site.directory, 'ran.txt');
  const ran = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0);
  return { site, id: row!.id, server, ran };
}

function siteOf(server: ModelServer, faculty: string, databaseUrl: string, isolated: boolean): Site {
  const site = makeSite({ modelUrl: server.url, config: CONFIG, faculties: {}, databaseUrl });
  const toml = `
[faculty]
name = "${faculty}"
${isolated ? '' : `workspace = "${site.directory}"`}
[faculty.engage]
model = "${MODEL}"
system_prompt = "You work."
tools = ["bash", "write_file"]
${isolated ? '' : 'bash_isolation = "none"'}
[faculty.permissions]
bash = "${isolated ? 'auto' : 'ask'}"
write_file = "ask"
`;
  writeFileSync(join(site.directory, 'faculties', `${faculty}.toml`), toml);
  return site;
}

function waits(id: string, count: number): Promise<object> {
  return eventually(`${count} of it wait for a person`, async () => {
    const rows = await pg.database.query(
      `select from animus.inbox x join animus.work_items w on w.id = x.work_item_id and w.state = 'waiting' where w.id = $1`,
      [id],
    );
    return rows.length === count ? rows : null;
  });
}

/** Approves as soon as it is asked. */
async function decide(id: string): Promise<void> {
  await eventually('it is asked', async () => {
    const rows = await pg.database.query(
      `select animus.approve(work_item_id, ask_id) from animus.inbox where work_item_id = $1`,
      [id],
    );
    return rows[0] ?? null;
  });
}

function ends(id: string, state: string): Promise<object> {
  return eventually(
    `the item is ${state}`,
    async () => {
      const [row] = await pg.database.query('select from animus.work_items where id = $1 and state = $2', [id, state]);
      return row ?? null;
    },
    60,
  );
}

function resultsIn(body: Record<string, unknown>): Readonly<Record<string, string>> {
  const results = messagesOf(body).flatMap(({ content }) => content.filter((block) => block['type'] === 'tool_result'));
  return Object.fromEntries(results.map((block) => [String(block['tool_use_id']), textOf(block['content'])]));
}

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : (content as { text: string }[]).map((part) => part.text).join('');
}
