/**
 * Eight tool calls of 200 ms in one answer: how long the turn takes, against one such call and against all of them in a row.
 *
 *     node tests/bench/engage/parallel-tools.ts
 */
import { engage } from '../../../src/engage/loop.ts';
import { startTestFocus, testTool } from '../../support/focus.ts';
import { benchDatabase, median } from '../support/bench-database.ts';

const CALLS = 8;
const CALL_MS = 200;
const RUNS = 5;

const { db, close } = await benchDatabase();
const wait = testTool('wait', async () => {
  await new Promise((resolve) => setTimeout(resolve, CALL_MS));
  return { content: 'waited' };
});

async function turnMs(maxParallel: number): Promise<number> {
  const calls = Array(CALLS).fill('{ tool = "wait" }').join(', ');
  const focus = await startTestFocus(db, {
    tools: [wait],
    script: `[[answer]]\nturn = 1\ncall = [${calls}]\n[[answer]]\nturn = 2\ntext = "done"`,
  });
  let startedMs = 0;
  let endedMs = 0;
  await engage(
    focus.means({
      maxParallel,
      onEvent: (event) => {
        if (event.type === 'turn_recorded' && event.turn === 1) startedMs = performance.now();
        if (event.type === 'turn_started' && event.turn === 2) endedMs = performance.now();
      },
    }),
  );
  return endedMs - startedMs;
}

async function medianOf(maxParallel: number): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) times.push(await turnMs(maxParallel));
  return median(times);
}

const together = await medianOf(CALLS);
const inARow = await medianOf(1);
console.table({
  'side by side': { ms: Math.round(together), 'of one call': (together / CALL_MS).toFixed(2) },
  'in a row': { ms: Math.round(inARow), 'of one call': (inARow / CALL_MS).toFixed(2) },
});
await close();
