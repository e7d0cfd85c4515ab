import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { startAnthropicServer, text } from '../support/model-server/anthropic.ts';
import { startPostgresProxy } from '../support/postgres-proxy.ts';

const pg = testDatabase();

it('a daemon is ready while it can claim work, but not without its database or after SIGTERM', async () => {
  const proxy = await startPostgresProxy(pg.connectionString);
  const server = await startAnthropicServer(() => ({ content: [text('Hm')], stopAfter: 1, finally: 'stall' }));
  onTestFinished(() => server.close());
  const port = await freePort();
  const site = siteOf({ modelUrl: server.url, databaseUrl: proxy.url, http: `127.0.0.1:${port}` });
  const daemon = await startDaemon(site);

  expect(await health(site)).toMatchObject({ exit: 0, ready: true, phase: 'serving' });
  proxy.cut();
  const cut = await eventually('the daemon misses its database', async () => unless(await health(site), { exit: 0 }));
  expect(cut).toMatchObject({ exit: 5, ready: false, phase: 'serving' });
  expect(cut.checks.database).toMatch(/cannot use the database|no answer within 3 s/);
  expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).json()).toEqual({ alive: true });
  proxy.mend();
  await eventually('it is ready again', async () => unless(await health(site), { exit: 5 }));

  await pg.database.query(`insert into animus.work_items (faculty, description) values ('waiter', 'wait')`);
  await eventually('the item runs', async () => {
    const [row] = await pg.database.query(`select from animus.turns`);
    return row ?? null;
  });
  process.kill(daemon.pid, 'SIGTERM');
  await eventually('it is ending', async () => unless(await health(site), { exit: 0 }));
  expect(await health(site)).toMatchObject({ exit: 5, ready: false, phase: 'ending' });
  await daemon.kill('SIGTERM');
  expect(await health(site)).toMatchObject({ exit: 4, error: { code: 'http.unanswered' } });
}, 180_000);

it('a configured address is required; if the default is in use, a daemon uses another, and health finds all daemons of its home', async () => {
  const stranger = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
  await once(stranger, 'listening');
  onTestFinished(() => void stranger.close());
  const { port } = stranger.address() as { port: number };
  const site = siteOf({ modelUrl: 'http://127.0.0.1:9', databaseUrl: pg.connectionString, http: `127.0.0.1:${port}` });
  const served = await runAnimus(site, ['serve']);
  expect(served.exit).toBe(4);
  expect(served.stderr).toContain(`cannot listen at 127.0.0.1:${port}: `);
  const { stderr, exit } = await runAnimus(site, ['health']);
  expect([exit, stderr]).toEqual([4, expect.stringContaining('no daemon answers')]);

  const one = siteOf({ modelUrl: 'http://127.0.0.1:9', databaseUrl: pg.connectionString });
  const [first, second] = [await startDaemon(one), await startDaemon(one)];
  const asked = await runAnimus(one, ['health', '--json']);
  expect(asked.exit).toBe(0);
  const { daemons } = JSON.parse(asked.stdout) as { daemons: { address: string; daemon_id: string }[] };
  expect(new Set(daemons.map(({ address }) => address)).size).toBe(2);
  expect(new Set(daemons.map(({ daemon_id: id }) => id)).size).toBe(2);
  await second.kill('SIGKILL');
  expect(JSON.parse((await runAnimus(one, ['health', '--json'])).stdout).daemons).toHaveLength(1);
  await first.kill('SIGTERM');
  expect(await runAnimus(one, ['health'])).toMatchObject({
    exit: 4,
    stderr: expect.stringContaining(`no daemon with the home ${one.home}`),
  });
  const off = siteOf({ modelUrl: 'http://127.0.0.1:9', databaseUrl: pg.connectionString, http: 'off' });
  expect((await startDaemon(off)).output()).not.toContain('health');
  expect(await health(off)).toMatchObject({ exit: 2 });
}, 180_000);

function siteOf(options: { modelUrl: string; databaseUrl: string; http?: string }): Site {
  const http = options.http === undefined ? '' : `http = "${options.http}"\n`;
  return makeSite({
    modelUrl: options.modelUrl,
    databaseUrl: options.databaseUrl,
    config: `[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\n${http}`,
    faculties: {
      waiter: `[faculty]\nname = "waiter"\ndescription = "Waits"\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "Wait."\ntools = ["list_dir"]\n`,
    },
  });
}

interface Health {
  readonly exit: number | string;
  readonly checks: Readonly<Record<string, string>>;
}

async function health(site: Site): Promise<Health> {
  const { exit, stdout, stderr } = await runAnimus(site, ['health', '--json']);
  return { ...(JSON.parse(stdout || stderr) as Health), exit };
}

/** The observed state, unless it is still the old one. */
function unless(seen: Health, left: { readonly exit: number }): Health | null {
  return seen.exit === left.exit ? null : seen;
}
