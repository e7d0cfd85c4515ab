/** Daemons that are killed or frozen while code of their foci runs: real processes, real containers. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Choose, type Kill, moments, runWithKills } from '../../e2e/journal-kills.ts';
import { stateOf } from '../../e2e/work-state.ts';
import { type Site, startDaemon } from '../../support/daemon-process.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type AnthropicProgramme, text, toolUse } from '../../support/model-server/anthropic.ts';
import { messagesOf, startModelServer } from '../../support/model-server/either-wire.ts';
import { builtImage } from './built-image.ts';
import { callsOf, codeSite, containersOfWork, submit, workspaceOf } from './code-site.ts';
import { missingEngine } from './containers.ts';

const missing = missingEngine();

/** More than executions can be cut off by the kills below. */
const TURNS = 12;

const KILLS: readonly Kill[] = [
  ...moments('record_code_calls', 1),
  ...moments('record_code_calls', 2),
  ...moments('record_code_calls', 3),
  ...moments('record_code_calls', 4),
  ...moments('commit', 1),
  ...moments('begin_turn', 2),
];

const codeOf = (turn: number) => `
bash("echo ${turn}-a >> effects")
read_file("some.txt")
ledger_append("finding", "turn ${turn}")
bash("echo ${turn}-b >> effects")
return ${turn}
`;

const programme: AnthropicProgramme = (body) => {
  const turn = messagesOf(body).filter(({ role }) => role === 'assistant').length + 1;
  if (turn > TURNS) return { content: [text('All are done.')] };
  return { content: [text(`Turn ${turn}.`), toolUse(`c${turn}`, 'execute_code', { code: codeOf(turn) })] };
};

function linesOf(site: Site, name: string): string[] {
  const file = join(workspaceOf(site), name);
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

/** Resolves when no container of the item is left. */
async function noContainers(id: string): Promise<void> {
  await eventually('its containers are gone', async () => (await containersOfWork(id)).length === 0 || null, 60);
}

describe.skipIf(missing)(`a daemon whose code calls tools${missing === null ? '' : ` (${missing})`}`, () => {
  const pg = testDatabase();
  let image: string;
  beforeAll(async () => {
    image = await builtImage();
  });

  it('is killed at each record of such a call: nothing happens twice, and nothing that happened is unknown', async () => {
    const server = await startModelServer(programme);
    onTestFinished(() => server.close());
    const anyDue: Choose = (left, call, moment, times) =>
      left.findIndex((kill) => kill.call === call && kill.moment === moment && kill.nth <= times);
    const { id, site, met } = await runWithKills(pg, server, anyDue, KILLS, ({ url }, databaseUrl) => {
      const made = codeSite(image, { modelUrl: url, databaseUrl });
      writeFileSync(join(workspaceOf(made), 'some.txt'), 'some text\n');
      return made;
    });
    expect(met).toHaveLength(KILLS.length);
    const [item] = await pg.database.query(`select state, turns from animus.work_items where id = $1`, [id]);
    expect(item).toEqual({ state: 'completed', turns: TURNS + 1 });

    const calls = await callsOf(pg.database, id);
    const made = calls.filter(({ origin }) => origin === 'sandbox');
    const effects = linesOf(site, 'effects');
    expect(new Set(effects).size).toBe(effects.length);
    // Each command that ran is on record, as done or in doubt.
    const commands = made.filter(({ name }) => name === 'bash');
    expect(commands.length).toBeGreaterThanOrEqual(effects.length);
    for (const effect of effects) {
      const [turn, which] = effect.split('-');
      const own = commands.filter(({ call_id }) => call_id.startsWith(`c${turn}/`));
      expect(own.length, effect).toBeGreaterThanOrEqual(which === 'a' ? 1 : 2);
    }
    // An entry was written exactly once, with its call.
    const entries = await pg.database.query<{ content: string }>(
      `select content from animus.work_ledger where work_item_id = $1 order by seq`,
      [id],
    );
    expect(new Set(entries.map(({ content }) => content)).size).toBe(entries.length);
    expect(made.filter(({ name, state }) => name === 'ledger_append' && state === 'done')).toHaveLength(entries.length);

    const executions = calls.filter(({ origin }) => origin === 'model');
    expect(executions).toHaveLength(TURNS);
    const cutOff = executions.filter(({ state }) => state === 'in_doubt');
    expect(cutOff.length).toBeGreaterThanOrEqual(KILLS.length - 4);
    for (const { call_id: callId, output } of cutOff) {
      for (const call of made.filter((one) => one.call_id.startsWith(`${callId}/`))) {
        const shown = call.state === 'in_doubt' ? 'may or may not have happened' : `${call.state}: `;
        expect(output).toMatch(new RegExp(`^${call.call_id.split('/')[1]}\\. ${call.name} .*→ ${shown}`, 'm'));
      }
    }
    expect(made.filter(({ state }) => state === 'started')).toEqual([]);
    const byTurn = Map.groupBy(server.requests, ({ json }) => messagesOf(json!).length);
    for (const [first, ...again] of byTurn.values()) {
      for (const request of again) expect(JSON.stringify(request.json)).toBe(JSON.stringify(first!.json));
    }
    await noContainers(id);
  }, 600_000);

  it('is frozen past its lease: its code ends with the lease, and the other daemon goes on', async () => {
    const endless: AnthropicProgramme = (body) =>
      messagesOf(body).length === 1
        ? {
            content: [
              toolUse('c1', 'execute_code', { code: 'while True:\n    bash("echo tick >> ticks; sleep 0.1")' }),
            ],
          }
        : { content: [text('done')] };
    const server = await startModelServer(endless);
    onTestFinished(() => server.close());
    const site = codeSite(image, { modelUrl: server.url, databaseUrl: pg.connectionString, leaseSeconds: 5 });
    const first = await startDaemon(site);
    const id = await submit(pg.database);
    await eventually('the code calls', () => linesOf(site, 'ticks').length > 2 || null, 60);
    await startDaemon(site);
    process.kill(first.pid, 'SIGSTOP');
    onTestFinished(() => first.kill('SIGKILL'));
    await stateOf(pg.database, id, 'completed');
    await noContainers(id);
    const ticks = linesOf(site, 'ticks').length;

    // Thawed, it may neither go on nor write anything.
    process.kill(first.pid, 'SIGCONT');
    const other = await submit(pg.database);
    await stateOf(pg.database, other, 'running');
    expect(first.output()).not.toContain('internal.bug');
    await pg.database.query(`select animus.cancel_work($1, 'enough')`, [other]);
    await stateOf(pg.database, other, 'cancelled');
    await noContainers(other);

    const [execution, ...made] = await callsOf(pg.database, id);
    expect(execution).toMatchObject({ state: 'in_doubt', output: expect.stringContaining('echo tick') });
    expect(made.every(({ state }) => state === 'done' || state === 'in_doubt')).toBe(true);
    expect(made.length).toBeGreaterThanOrEqual(ticks);
  }, 240_000);
});
