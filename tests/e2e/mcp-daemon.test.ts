/** MCP servers in a real daemon: pinned by a command, called by a model, changed, and cut off by SIGKILL. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../cli/run-cli.ts';
import { processesWith } from '../process/live-processes.ts';
import { makeSite, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { HOSTILE } from '../support/mcp/mcp-bench.ts';

const pg = testDatabase();

test('pinned by faculty check, called by the model, refused when it has changed, and pinned again', async () => {
  const { site, configure } = siteOf('echo', `{ words = "hello" }`, '[faculty.permissions]\nmcp_hostile_echo = "auto"');
  configure({ only: ['echo', 'fail'] });
  await startDaemon(site);

  const unpinned = await animus(site, 'faculty', 'check');
  expect(unpinned).toMatchObject({ code: 0 });
  expect(unpinned.stdout).toContain('not pinned and not offered to the model: echo; run: animus faculty check --pin');
  await eventually('the daemon says so in status', async () =>
    (await animus(site, 'status')).stdout.includes('not pinned and not offered') ? true : null,
  );
  expect(await work('clerk')).toMatchObject([{ output: expect.stringContaining('there is no tool named') }]);

  expect(await animus(site, 'faculty', 'check', '--mcp')).toMatchObject({ code: 2 });
  const pinned = await animus(site, 'faculty', 'check', '--pin');
  expect(pinned, pinned.stdout).toMatchObject({ code: 0 });
  expect(pinned.stdout).toMatch(/new +echo/);
  expect(pinned.stdout).toContain('+Says it again');
  expect(await animus(site, 'faculty', 'check', '--mcp')).toMatchObject({ code: 0 });
  const [decision] = await pg.database.query(`select action, note from animus.decisions where action = 'pin'`);
  expect(decision).toEqual({ action: 'pin', note: 'clerk: tools of MCP server hostile: echo' });
  expect(await work('clerk')).toMatchObject([{ state: 'done', output: 'hello' }]);

  configure({ only: ['echo'], changed: true });
  expect(await work('clerk')).toMatchObject([
    { state: 'failed', output: expect.stringContaining('refused: it has changed since it was pinned') },
  ]);
  const changed = await animus(site, 'faculty', 'check', '--mcp');
  expect(changed).toMatchObject({ code: 2 });
  expect(changed.stdout).toContain('-Says it again');
  expect(changed.stdout).toContain('+Now it does something else');
  await eventually('status names it', async () =>
    (await animus(site, 'status')).stdout.includes('calls of echo are refused') ? true : null,
  );
  expect(await animus(site, 'faculty', 'check', '--pin')).toMatchObject({ code: 0 });
  expect(await work('clerk')).toMatchObject([{ state: 'done', output: 'hello' }]);
});

test('HOME of a server is outside of the workspace, in a focus and in a check', async () => {
  const { site, configure } = siteOf('echo', `{ words = "hello" }`, '[faculty.permissions]\nmcp_hostile_echo = "auto"');
  const workspace = join(site.directory, 'project');
  mkdirSync(workspace);
  const file = join(site.directory, 'faculties/clerk.toml');
  writeFileSync(file, readFileSync(file, 'utf8').replace('[faculty.engage]', 'workspace = "../project"\n$&'));
  const homes = join(site.directory, 'homes.txt');
  configure({ only: ['echo'], homes });
  expect(await animus(site, 'faculty', 'check', '--pin')).toMatchObject({ code: 0 });
  await startDaemon(site);
  expect(await work('clerk')).toMatchObject([{ state: 'done', output: 'hello' }]);
  const seen = readFileSync(homes, 'utf8').trim().split('\n');
  expect(seen).toEqual([
    expect.stringMatching(/\/animus-mcp-\w+\/homes\/[0-9a-f-]{36}$/),
    expect.stringMatching(/\/homes\/[0-9a-f-]{36}$/),
  ]);
  expect(readdirSync(workspace)).toEqual([]);
  await eventually('no home is left', () => (seen.some((home) => existsSync(home)) ? null : true));
});

test('a call that was cut off by SIGKILL of the daemon is in doubt, the server is gone, and the focus goes on', async () => {
  const { site, configure, options } = siteOf('hang', '{}', '[faculty.permissions]\n"mcp_hostile_*" = "auto"');
  configure({ only: ['hang'] });
  expect(await animus(site, 'faculty', 'check', '--pin')).toMatchObject({ code: 0 });
  const first = await startDaemon(site);
  const id = await submit('clerk');
  await eventually('the server runs', () => (processesWith(options).length > 0 ? true : null));
  await eventually('the call has started', async () => {
    const [call] = await pg.database.query(`select from animus.tool_calls where state = 'started' limit 1`);
    return call ?? null;
  });
  await first.kill('SIGKILL');
  await eventually('the server is gone', () => (processesWith(options).length === 0 ? true : null));
  await startDaemon(site);
  expect(await callsOf(id)).toMatchObject([{ state: 'in_doubt' }]);
  expect(processesWith(options)).toEqual([]);
});

test('without a rule a person is asked; what was approved runs once, and what was denied starts no server', async () => {
  const { site, configure } = siteOf('echo', `{ words = "hello" }`);
  const starts = join(site.directory, 'starts');
  configure({ only: ['echo'], starts });
  expect(await animus(site, 'faculty', 'check', '--pin')).toMatchObject({ code: 0 });
  expect((await animus(site, 'faculty', 'show', 'clerk')).stdout).toMatch(/mcp_hostile_echo +ask +execute/);
  await startDaemon(site);
  for (const [decision, result] of [
    ['deny', { state: 'denied' }],
    ['approve', { state: 'done', output: 'hello' }],
  ] as const) {
    const id = await submit('clerk');
    await eventually('the work waits for a person', async () => {
      const [item] = await pg.database.query(`select from animus.work_items where id = $1 and state = 'waiting'`, [id]);
      return item ?? null;
    });
    expect(await animus(site, 'work', decision, id)).toMatchObject({ code: 0 });
    expect(await callsOf(id)).toMatchObject([result]);
    // Pinning started it once.
    expect(readFileSync(starts, 'utf8').trim().split('\n')).toHaveLength(decision === 'deny' ? 1 : 2);
  }
});

function siteOf(tool: string, input: string, permissions = '') {
  const faculty = `[faculty]
name = "clerk"
[faculty.engage]
model = "play/x"
system_prompt = "p"
[faculty.mcp.hostile]
command = ${JSON.stringify(HOSTILE.command)}
args = ${JSON.stringify([...HOSTILE.args, 'OPTIONS'])}
tools = ["${tool}"]
${permissions}
`;
  const script = `[[answer]]
[[answer.call]]
tool = "mcp_hostile_${tool}"
input = ${input}
[[answer]]
text = "Done."
`;
  const config =
    '[daemon]\nhttp = "off"\nlease_seconds = 5\npoll_seconds = 1\n[providers.play]\nkind = "scripted"\nscript = "play.toml"\n';
  const site = makeSite({
    databaseUrl: pg.connectionString,
    modelUrl: null,
    config,
    faculties: {},
    files: { 'play.toml': script },
  });
  const options = join(site.directory, 'options.json');
  writeFileSync(join(site.directory, 'faculties/clerk.toml'), faculty.replace('OPTIONS', options));
  return { site, options, configure: (given: object) => writeFileSync(options, JSON.stringify(given)) };
}

async function submit(faculty: string): Promise<string> {
  const [row] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'x') returning id`,
    [faculty],
  );
  return row!.id;
}

/** Runs an item to its end and returns its calls. */
async function work(faculty: string) {
  return callsOf(await submit(faculty));
}

async function callsOf(id: string) {
  await eventually('the item is completed', async () => {
    const [item] = await pg.database.query(`select from animus.work_items where id = $1 and state = 'completed'`, [id]);
    return item ?? null;
  });
  return pg.database.query(
    `select c.state, c.output from animus.tool_calls c join animus.foci f on f.id = c.focus_id where f.work_item_id = $1`,
    [id],
  );
}

/** In this process: starting a program for each command would take most of the time. */
function animus(site: Site, ...args: readonly string[]) {
  return run(args, { env: site.env, cwd: site.directory });
}
