/**
 * The loop of animus with everything that a daemon's focus has: claimed and started work, journal, context, guards. All foci are of one
 * faculty, as those of most users are.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { createLlm } from '../../../src/llm/llm.ts';
import { openEmbedded } from '../../../src/store/embedded/embedded.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
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
    return {
      async run(prompt) {
        const focus = await startTestFocus(db, {
          script: '[[answer]]',
          faculty: 'bench',
          tools: [tool],
          orient: prompt,
        });
        const means = focus.means({ maxTurns: turns + 10, onEvent: () => undefined });
        const end = await engage({ ...means, model: { ...means.model, client } });
        if (end.kind !== 'done') throw new Error(`the focus ended as ${JSON.stringify(end)}`);
      },
      async close() {
        await llm.stop();
        await closeDatabase();
      },
    };
  };
}
