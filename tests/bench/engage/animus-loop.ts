/**
 * The loop of animus with everything that a daemon's focus has: claimed and started work, journal, context, the file rules of a daemon with the
 * faculties that come with animus. All foci are of one faculty, as those of most users are.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { loadFaculties } from '../../../src/catalog/faculties.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createFileGuard } from '../../../src/daemon/guard/file-guard.ts';
import { createLlm } from '../../../src/llm/llm.ts';
import { openEmbedded } from '../../../src/store/embedded/embedded.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { toolTable } from '../../../src/tools/known-tools.ts';
import { FACULTY_TOOL_NAMES } from '../../../src/tools/registry.ts';
import { worldTool } from '../../../src/tools/tool.ts';
import { startTestFocus } from '../../support/focus.ts';
import { engage } from '../../support/run-loop.ts';
import { LOOK, look, type OpenLoop } from './agent-loop.ts';

/** On the server of BENCH_DATABASE_URL, with a pool like a daemon's. */
export const openOnPostgres: OpenLoop = async (baseUrl, load) => {
  const db = openPostgres(process.env['BENCH_DATABASE_URL'] ?? '', { poolSize: 10 });
  return loopOn(db, () => db.close())(baseUrl, load);
};

/** On a separate embedded database. */
export const openOnEmbedded: OpenLoop = async (baseUrl, load) => {
  const home = await mkdtemp(join(tmpdir(), 'animus-bench-'));
  const db = await openEmbedded({ home });
  await migrate(db);
  const close = async () => {
    await db.close();
    await rm(home, { recursive: true, force: true });
  };
  return loopOn(db, close)(baseUrl, load);
};

function loopOn(db: Database, closeDatabase: () => Promise<void>): OpenLoop {
  return async (baseUrl, { turns, toolMs }) => {
    const llm = createLlm({ defaultProvider: 'p', providers: { p: { kind: 'openai', baseUrl, apiKey: 'k' } } });
    const { client } = llm.resolve('m');
    const tool = worldTool({
      ...LOOK,
      risk: 'read',
      idempotent: true,
      input: z.strictObject({ part: z.string() }),
      run: async ({ part }) => ({ content: await look(part, toolMs) }),
    });
    const guard = await openGuard();
    return {
      async run(prompt) {
        const focus = await startTestFocus(db, {
          script: '[[answer]]',
          faculty: 'bench',
          tools: [tool],
          orient: prompt,
          // Nothing ends the items: one whose lease has expired would be claimed again by a later round.
          leaseSeconds: 86_400,
        });
        const means = focus.means({ maxTurns: turns + 10, onEvent: () => undefined });
        const callScope = { ...means.callScope, fileRules: guard.rulesOfFocus() };
        const end = await engage({ ...means, callScope, model: { ...means.model, client } });
        if (end.kind !== 'done') throw new Error(`the focus ended as ${JSON.stringify(end)}`);
      },
      async close() {
        await llm.stop();
        await guard.close();
        await closeDatabase();
      },
    };
  };
}

/** As a daemon has it; a focus asks for its rules at each call. */
async function openGuard() {
  const cwd = await mkdtemp(join(tmpdir(), 'animus-bench-'));
  const env = { HOME: cwd, ANIMUS_HOME: join(cwd, 'home') };
  await mkdir(env.ANIMUS_HOME);
  const facultiesDir = new URL('../../../faculties', import.meta.url).pathname;
  const { faculties } = loadFaculties(facultiesDir, {
    toolNames: FACULTY_TOOL_NAMES,
    toolKinds: new Map(Object.entries(toolTable().kinds)),
    providerNames: ['anthropic'],
  });
  const config = loadConfig({ env, cwd });
  const guard = createFileGuard({
    config,
    env,
    cwd,
    facultiesDir,
    clock: systemClock,
    log: silentLog,
    faculties: () => faculties,
  });
  return {
    rulesOfFocus: () => guard.rulesOf({ directory: join(cwd, 'focus'), faculty: faculties.get('engineer')! }),
    async close() {
      guard.close();
      await rm(cwd, { recursive: true, force: true });
    },
  };
}
