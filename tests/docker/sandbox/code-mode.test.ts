/** Code without a model, sent by HTTP: real daemons, real containers, and a kill in the middle. */
import { beforeAll, describe, expect, it } from 'vitest';
import { retryWork } from '../../../src/store/work/operate.ts';
import { stateOf } from '../../e2e/work-state.ts';
import { startApi, type TestApi } from '../../support/api.ts';
import { type DaemonProcess, makeSite, type Site, startDaemon } from '../../support/daemon-process.ts';
import { testDatabase } from '../../support/database.ts';
import { readEventStream } from '../../support/event-reader.ts';
import { eventually } from '../../support/eventually.ts';
import { builtImage } from './built-image.ts';
import { callsOf, containersOfWork } from './code-site.ts';
import { missingEngine } from './containers.ts';

const missing = missingEngine();

describe.skipIf(missing)(`code over HTTP${missing === null ? '' : ` (${missing})`}`, () => {
  const pg = testDatabase();
  let image: string;
  beforeAll(async () => {
    image = await builtImage();
  });

  async function setUp(): Promise<{ site: Site; daemon: DaemonProcess; api: TestApi }> {
    const config = `[daemon]\nlease_seconds = 5\npoll_seconds = 0.5\nhttp = "off"\n[sandbox]\nimage = "${image}"\npool_size = 0\n`;
    const sandbox = '[faculty]\nname = "sandbox"\n[faculty.engage]\nmode = "code"\ncode_execution_memory = 128\n';
    const site = makeSite({ modelUrl: null, databaseUrl: pg.connectionString, config, faculties: { sandbox } });
    return { site, daemon: await startDaemon(site), api: await startApi(pg.database) };
  }

  const send = async (api: TestApi, body: object): Promise<string> => {
    const answer = await api.call('alice', 'POST', '/sandbox/executions', { body });
    expect(answer.status, JSON.stringify(answer.body)).toBe(202);
    return answer.body.id as string;
  };
  const outcomeOf = async (api: TestApi, body: object): Promise<Record<string, unknown>> => {
    const id = await send(api, body);
    await stateOf(pg.database, id, 'completed');
    return (await api.call('alice', 'GET', `/work/${id}`)).body.outcome as Record<string, unknown>;
  };
  const noContainers = (id: string) =>
    eventually('its containers are gone', async () => (await containersOfWork(id)).length === 0 || null, 60);

  it('runs Python and commands, and the outcome is exact', async () => {
    const { api } = await setUp();
    const code =
      'import sys\nprint("hello")\nprint("careful", file=sys.stderr)\nopen("out/a.txt", "w").write("kept")\nreturn [1, "ä"]';
    const ran = await outcomeOf(api, { code });
    expect(ran).toMatchObject({ exit_status: 0, value: [1, 'ä'], stdout: 'hello\n', stderr: 'careful\n' });
    const [file] = ran['files'] as { name: string; artifact_id: string }[];
    const token = await api.tokenOf('alice');
    const download = async (id: unknown) => {
      const url = `${api.url}/api/v1/artifacts/${String(id)}`;
      const answer = await fetch(url, { headers: { authorization: `Bearer ${token}` } });
      expect(answer.status).toBe(200);
      return Buffer.from(await answer.arrayBuffer());
    };
    expect((await download(file!.artifact_id)).toString()).toBe('kept');

    expect(await outcomeOf(api, { command: 'echo $((6 * 7)); exit 3' })).toMatchObject({
      exit_status: 3,
      stdout: '42\n',
    });
    expect(await outcomeOf(api, { command: ['no-such-program'] })).toMatchObject({
      exit_status: 127,
      stderr: 'no-such-program: No such file or directory\n',
    });
    expect(await outcomeOf(api, { command: ['sh', '-c', 'kill -9 $$'] })).toMatchObject({
      exit_status: 137,
      ended: 'exited',
    });
    expect(await outcomeOf(api, { code: 'import sys\nsys.exit(7)' })).toMatchObject({ exit_status: 7 });
    expect(await outcomeOf(api, { command: 'sleep 60', timeout_seconds: 0.5 })).toMatchObject({
      exit_status: 124,
      ended: 'timeout',
    });
    const binary = await outcomeOf(api, { command: String.raw`printf '\377\000\376'` });
    expect(await download(binary['stdout_artifact'])).toEqual(Buffer.from([0xff, 0, 0xfe]));
  }, 120_000);

  it('shows output while it comes, survives a flood, and keeps its first 10 MiB', async () => {
    const { api } = await setUp();
    const code = 'import time\nprint("first: ä", flush=True)\ntime.sleep(1.5)\nprint("second")\ntime.sleep(1.5)';
    const id = await send(api, { code });
    const headers = { authorization: `Bearer ${await api.tokenOf('alice')}` };
    const reader = await readEventStream(`${api.url}/api/v1/work/${id}/events`, { headers });
    const first = await reader.until(({ type, data }) => type === 'observation' && data['live'] === true);
    expect(first).toMatchObject({ id: null, data: { stream: 'stdout', from: 0, text: 'first: ä\n' } });
    await reader.until(({ type, data }) => type === 'observation' && String(data['text']).includes('second'));
    await reader.until(({ type }) => type === 'done');
    const whole = reader.events.filter((event) => event.type === 'observation' && event.id !== null);
    expect(whole).toHaveLength(1);
    expect(JSON.parse(String(whole[0]!.data['output']))).toMatchObject({
      exit_status: 0,
      stdout: 'first: ä\nsecond\n',
    });

    const flood = await outcomeOf(api, { command: 'yes flood | head -c 30000000' });
    expect(flood).toMatchObject({ exit_status: 0, ended: 'exited', stdout_artifact: expect.any(String) as string });
    expect(String(flood['stdout']).length).toBeLessThan(70_000);
    expect(flood['stdout_bytes']).toBe(30_000_000);
    const kept = await pg.database.query('select bytes::int from animus.artifacts where id = $1', [
      flood['stdout_artifact'],
    ]);
    expect(kept).toEqual([{ bytes: 10 * 2 ** 20 }]);
  }, 120_000);

  it('a cancel kills the container at once', async () => {
    const { api } = await setUp();
    const id = await send(api, { command: 'trap "" TERM; sleep 600' });
    await eventually('it runs', async () => (await containersOfWork(id)).length > 0 || null, 60);
    const began = performance.now();
    expect((await api.call('alice', 'POST', `/work/${id}/cancel`, { body: {} })).status).toBe(200);
    await stateOf(pg.database, id, 'cancelled');
    await noContainers(id);
    expect(performance.now() - began).toBeLessThan(20_000);
  }, 120_000);

  it('a daemon that is killed while code runs leaves it in doubt: it is not run again until somebody retries it', async () => {
    const { site, daemon, api } = await setUp();
    const id = await send(api, { code: 'import time\nprint("begun", flush=True)\ntime.sleep(600)' });
    await eventually('it runs', async () => (await containersOfWork(id)).length > 0 || null, 60);
    const call = await eventually('it is on record', async () => (await callsOf(pg.database, id))[0] ?? null);
    expect(call).toMatchObject({ name: 'execute_code', state: 'started' });
    await daemon.kill('SIGKILL');
    await startDaemon(site);
    await stateOf(pg.database, id, 'dead');
    await noContainers(id);
    expect(await callsOf(pg.database, id)).toMatchObject([{ state: 'in_doubt' }]);
    const { body } = await api.call('alice', 'GET', `/work/${id}`);
    expect(body).toMatchObject({ error: { code: 'code.in_doubt' } });

    await retryWork(pg.database, id);
    await eventually('it runs again', async () => (await containersOfWork(id)).length > 0 || null, 60);
    const calls = await callsOf(pg.database, id);
    expect(calls.map(({ state }) => state)).toEqual(['in_doubt', 'started']);
    await api.call('alice', 'POST', `/work/${id}/cancel`, { body: {} });
    await stateOf(pg.database, id, 'cancelled');
    await noContainers(id);
  }, 180_000);

  it('a daemon that is told to stop kills what runs after its grace time; nothing runs twice', async () => {
    const { site, daemon, api } = await setUp();
    const id = await send(api, { command: 'sleep 3; echo done' });
    await eventually('it runs', async () => (await containersOfWork(id)).length > 0 || null, 60);
    // The grace time is 30 s: what runs may end.
    const stopped = daemon.kill('SIGTERM');
    await stateOf(pg.database, id, 'completed');
    await stopped;
    await startDaemon(site);
    expect(await callsOf(pg.database, id)).toMatchObject([{ state: 'done' }]);
  }, 120_000);
});
