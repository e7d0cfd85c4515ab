/** One item that takes very many turns, with calls side by side, and whose context is folded again and again. */
import { addMessage } from '../../../store/transcript/messages.ts';
import { recordSideCall } from '../../../store/transcript/turns.ts';
import { completeWork } from '../../../store/work/work.ts';
import { FACULTIES } from './cast.ts';
import { type DemoCall, type Life, note, submit, take, turn } from './item-life.ts';
import { AREAS, testOutput } from './phrases.ts';
import type { Stage, Story } from './stage.ts';
import { work } from './stories.ts';

const FOLD_EVERY = 60;

/** Each step is a few turns. Its transaction may be another than that of the step before. */
export async function* longStory(stage: Stage, turns: number): Story {
  const { random } = stage;
  const task = {
    faculty: FACULTIES.engineer,
    description: `Move all of src/ from callbacks to async functions, file by file, with the tests green after each. ${LONG_TEXT}`,
    params: { files: 212 },
    by: 'tomas' as const,
  };
  const id = await submit(stage, task);
  const life = await take(stage, id, task.faculty);
  for (let n = 1; n < turns; n++) {
    await turn(stage, life, { says: n % 7 === 0 ? `File ${n} of ${turns}.` : '', calls: callsOf(stage, n) });
    if (n % FOLD_EVERY === 0) await fold(stage, life);
    if (n % 20 === 0) yield stage.clock.atMs + random.between(10, 200);
  }
  const summary = `All 212 files use async functions; the tests pass. ${turns} turns.`;
  await turn(stage, life, { says: summary });
  await completeWork(stage.tx, work(life), { files: 212, text: summary }, summary);
}

function callsOf({ random }: Stage, n: number): DemoCall[] {
  const area = random.pick(AREAS);
  const path = `src/${area.name}/part-${n}.ts`;
  const reads = Array.from({ length: random.between(1, 5) }, (_, m): DemoCall => {
    return {
      tool: 'read_file',
      input: { path: `src/${area.name}/part-${n + m}.ts` },
      output: `   1\texport function part${n + m}(done) {`,
      ms: random.between(2, 900),
    };
  });
  const edit: DemoCall = {
    tool: 'edit_file',
    input: { path, old_string: 'function part(done) {', new_string: 'async function part() {' },
    output: `1 replacement in ${path}`,
    ms: random.between(4, 40),
  };
  const isRed = random.chance(0.08);
  const test: DemoCall = {
    tool: 'bash',
    input: { command: `npm test -- test/${area.name}` },
    output: testOutput(area, random.between(4, 14), isRed ? 1 : 0),
    failed: isRed,
    ms: random.between(900, 9000),
  };
  const step = n % 10 === 0 ? [note('step', `${n} files are done, the last one ${path}.`)] : [];
  return [...reads, ...(n % 2 === 0 ? [edit] : []), ...(n % 3 === 0 ? [test] : []), ...step];
}

/** A summary takes the place of all but the last ten turns. */
async function fold({ tx }: Stage, life: Life): Promise<void> {
  const content = `# Summary of turns 1 to ${life.turn - 10}\n${life.turn} files were changed, one after the other; all tests passed after each.`;
  const usage = { input: life.context, output: 900 };
  const { provider, model } = life.model;
  await recordSideCall(
    tx,
    life,
    { provider, model, usage },
    (usage.input * life.model.input + usage.output * life.model.output) / 1e6,
  );
  await addMessage(tx, life, { afterTurn: life.turn, kind: 'summary', content, keepsFrom: life.turn - 9 }, 60);
  life.context = 9000;
}

const LONG_TEXT =
  'What a file exports stays as it is: others call it. Where a callback may be called twice, say so in the ledger and leave the file alone. '.repeat(
    20,
  );
