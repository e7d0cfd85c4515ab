/**
 * Turns per second of foci that all run `bash` in every turn, in the best isolation of this host and in none, in turns:
 * `npm run bench -- tests/bench/engage/commands.ts [--foci 8] [--turns 20] [--rounds 5]`. The model is scripted.
 */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { FileRule } from '../../../src/process/file-rules.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { detectIsolation } from '../../../src/process/isolation.ts';
import type { Isolation } from '../../../src/process/process-host.ts';
import { bashTool } from '../../../src/tools/shell.ts';
import { startTestFocus } from '../../support/focus.ts';
import { engage } from '../../support/run-loop.ts';
import { benchDatabase, median } from '../support/bench-database.ts';
import { figure, report } from '../support/report.ts';

const { values } = parseArgs({
  options: {
    foci: { type: 'string', default: '8' },
    turns: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '5' },
  },
});
const [foci, turns, rounds] = [values.foci, values.turns, values.rounds].map(Number) as [number, number, number];
const SCRIPT = [
  ...Array.from(
    { length: turns },
    (_, n) => `[[answer]]\nturn = ${n + 1}\ncall = [{ tool = "bash", input = { command = ": ${n}" } }]`,
  ),
  `[[answer]]\nturn = ${turns + 1}\ntext = "done"`,
].join('\n');

const root = realpathSync(mkdtempSync(join(tmpdir(), 'bench-commands-')));
const secrets = ['key', 'other', 'third'].map((name): FileRule => ({ path: join(root, name), access: 'hidden' }));
for (const { path } of secrets) writeFileSync(path, 'secret');
const processes = createProcessHost();
const { db, close } = await benchDatabase();
try {
  const best = await detectIsolation();
  const rates = new Map<Isolation, number[]>([...new Set<Isolation>(['none', best])].map((each) => [each, []]));
  for (let round = -1; round < rounds; round++) {
    for (const [isolation, found] of rates) {
      const startedAt = performance.now();
      await Promise.all(Array.from({ length: foci }, () => runFocus(isolation)));
      if (round >= 0) found.push((foci * turns) / ((performance.now() - startedAt) / 1000));
    }
  }
  for (const [isolation, found] of rates) {
    const what = `${foci} foci that run bash in every turn`;
    console.log(`${what}, isolation ${isolation}: ${figure(median(found))} turns/s`);
    report({
      what,
      who: isolation === 'none' ? 'without isolation' : 'animus',
      figures: { 'turns/s': figure(median(found)) },
    });
  }
} finally {
  await processes.stop();
  await close();
  rmSync(root, { recursive: true });
}

async function runFocus(isolation: Isolation): Promise<void> {
  const workspace = mkdtempSync(join(root, 'focus-'));
  mkdirSync(join(workspace, 'home'));
  const focus = await startTestFocus(db, { script: SCRIPT, tools: [bashTool] });
  const parts = focus.means({ maxTurns: turns + 1 });
  const own: FileRule = { path: workspace, access: 'all' };
  const callScope = {
    ...parts.callScope,
    workspace,
    processes,
    isolation,
    fileRules: () => [...secrets, own],
    home: async () => ({ directory: join(workspace, 'home'), caches: {} }),
  };
  const end = await engage({ ...parts, callScope });
  if (end.kind !== 'done') throw new Error(JSON.stringify(end));
}
