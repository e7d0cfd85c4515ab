/** Promise: nothing that runs in the background outlives its focus on this host, and the model learns what it has lost. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, messagesOf, startModelServer } from '../support/model-server/either-wire.ts';
import { sleepingProcesses } from '../support/sleeping-processes.ts';

const FACULTY = `
[faculty]
name = "worker"
[faculty.engage]
model = "${MODEL}"
system_prompt = "You work."
tools = ["bash", "bash_job"]
`;
const CONFIG = '[daemon]\nlease_seconds = 5\npoll_seconds = 1\n';
const LOST = 'These commands no longer run in the background: ';
const pg = testDatabase();

type Answer = { readonly content: ReturnType<typeof toolUse>[] } | { readonly content: ReturnType<typeof text>[] };

/** A daemon on a model that answers in this order, and an item. `nap`: a length of sleep that nobody else uses. */
async function setUp(answers: (nap: string) => readonly ((id: string) => Answer)[], more = '') {
  const nap = `3600.${process.pid}${Date.now() % 100_000}`;
  const script = answers(nap);
  const server = await startModelServer((body, index) => {
    const seen = JSON.stringify(messagesOf(body));
    const id = /bg_[0-9a-f]{6}/.exec(seen)?.[0] ?? '';
    return script[Math.min(index, script.length - 1)]!(id);
  });
  onTestFinished(() => server.close());
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    config: CONFIG,
    faculties: { worker: FACULTY + more },
  });
  const daemon = await startDaemon(site);
  const [row] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('worker', 'nap') returning id`,
  );
  const untilRuns = () => eventually('it runs', () => (sleepingProcesses(nap) >= 2 ? true : null));
  const untilGone = () => eventually('it is gone', () => (sleepingProcesses(nap) === 0 ? true : null), 10);
  const untilState = (...states: string[]) =>
    eventually(`the item is ${states.join(' or ')}`, async () => {
      const [item] = await pg.database.query<{ state: string; outcome: unknown }>(
        'select state, outcome from animus.work_items where id = $1',
        [row!.id],
      );
      return item && states.includes(item.state) ? item : null;
    });
  return { nap, server, site, daemon, id: row!.id, untilRuns, untilGone, untilState };
}

/** Two processes, one of them in a session of its own. */
const start = (nap: string) => () => ({
  content: [toolUse('start', 'bash', { command: `setsid sleep ${nap} & sleep ${nap}`, background: true })],
});
const done = () => ({ content: [text('Done.')] });

describe('a command in the background', () => {
  it('is gone when the daemon is killed; the model is told once, and the requests stay the same', async () => {
    const { nap, server, site, daemon, untilRuns, untilGone, untilState } = await setUp((length) => [
      start(length),
      () => ({ content: [toolUse('block', 'bash', { command: `sleep ${length}` })] }),
      // Asked while the first daemon after the kill runs, and again by the second.
      () => ({ content: [toolUse('block2', 'bash', { command: `sleep ${length}` })] }),
      (id) => ({ content: [toolUse('look', 'bash_job', { id })] }),
      done,
    ]);
    await untilRuns();
    await eventually('the second call runs', () => (sleepingProcesses(nap) >= 3 ? true : null));
    await daemon.kill('SIGKILL');
    await untilGone();

    const second = await startDaemon(site);
    await eventually('the third call runs', () => (sleepingProcesses(nap) >= 1 ? true : null), 30);
    await second.kill('SIGKILL');
    await untilGone();
    await startDaemon(site);
    await untilState('completed');

    const messages = server.requests.map(({ json }) => JSON.stringify(messagesOf(json!)));
    expect(messages.map((request) => request.split(LOST).length - 1)).toEqual([0, 0, 1, 1, 1]);
    expect(messages[2]).toMatch(/These commands no longer run in the background: bg_[0-9a-f]{6}\. They were stopped/);
    expect(messages[4]).toContain('there is no background command');
    // What was sent is sent again as it was, with something after it; only the marks of the cache move.
    const sent = server.requests.map(({ json }) =>
      messagesOf(json!).map((message) => JSON.stringify(message).replaceAll(/,"cache_control":\{[^}]*\}/g, '')),
    );
    for (const [at, before] of sent.slice(0, -1).entries()) {
      expect(sent[at + 1]!.slice(0, before.length)).toEqual(before);
    }
  }, 180_000);

  it('is stopped when the focus waits', async () => {
    const { untilGone, untilState, server } = await setUp((nap) => [
      start(nap),
      () => ({ content: [toolUse('wait', 'wait_until', { seconds: 3600, reason: 'x' })] }),
    ]);
    await untilState('waiting');
    await untilGone();
    expect(JSON.stringify(server.requests[1]!.json)).toContain('runs in the background');
  });

  it('is stopped before the consolidate hook looks at the result', async () => {
    const hook = `[faculty.consolidate]\ncommand = "/bin/sh"\nargs = ["-c", "test -e ended || { echo it still runs >&2; exit 2; }"]\n`;
    const command = `trap 'echo yes > ended; exit' TERM; echo yes > begun; while :; do sleep 0.1; done`;
    const { untilState } = await setUp(
      () => [
        () => ({ content: [toolUse('start', 'bash', { command, background: true })] }),
        () => ({ content: [toolUse('see', 'bash', { command: 'until [ -e begun ]; do sleep 0.1; done' })] }),
        done,
      ],
      hook,
    );
    expect(await untilState('completed', 'dead', 'scheduled')).toMatchObject({ state: 'completed' });
  });

  it('is stopped before a wait, and the model is told after it', async () => {
    const { untilState, server } = await setUp((nap) => [
      start(nap),
      () => ({ content: [toolUse('wait', 'wait_until', { seconds: 1, reason: 'x' })] }),
      done,
    ]);
    await untilState('completed');
    expect(JSON.stringify(server.requests[1]!.json)).not.toContain(LOST);
    expect(JSON.stringify(server.requests[2]!.json)).toContain(LOST);
  });

  it('is stopped when the work is cancelled', async () => {
    const { id, nap, untilRuns, untilGone, untilState } = await setUp((length) => [
      start(length),
      () => ({ content: [toolUse('block', 'bash', { command: `sleep ${length}` })] }),
    ]);
    await untilRuns();
    await eventually('the second call runs', () => (sleepingProcesses(nap) >= 3 ? true : null));
    await pg.database.query('select animus.cancel_work($1, $2)', [id, 'enough']);
    await untilState('cancelled');
    await untilGone();
  });
});
