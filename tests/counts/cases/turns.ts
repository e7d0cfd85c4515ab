/** Turns of the engage loop, in a process that does nothing else. */
import { join } from 'node:path';
import { type Cost, least, type Meter } from '../meter.ts';
import { startProbed } from '../probed-process.ts';
import { type CallsOf, startTurnModel } from './turn-model.ts';

/** Foci of each kind of turn. */
const FOCI = 5;

const EIGHT = [1, 2, 3, 4, 5, 6, 7, 8];

/** What the model asks for in each turn. */
const KINDS: Readonly<Record<string, CallsOf>> = {
  'no call that changes anything: one read of a file': (turn) => [['read_file', { path: 'notes.txt', offset: turn }]],
  'one call: a write of a file': (turn) => [['write_file', { path: `${turn}.txt`, content: `It is ${turn}.` }]],
  'eight calls that end at once': (turn) => EIGHT.map((n) => ['act', { turn, n }]),
};

/** What a turn of each kind costs. */
export async function countTurns(url: string, meter: Meter): Promise<Record<string, Cost>> {
  const model = await startTurnModel(
    () => [],
    async (first) => ({ ...(await loop.read(first ? 'collect' : 'read')), ...(await meter.read()) }),
  );
  const env = { DATABASE_URL: meter.through(url), MODEL_URL: model.url };
  const loop = startProbed([join(import.meta.dirname, 'loop-process.ts')], { env });
  const run = async (orient: string) => {
    const ended = loop.answer<{ readonly ended: object & { readonly kind: string } }>(
      (said) => typeof said === 'object' && 'ended' in said!,
    );
    loop.send({ orient });
    const end = await ended;
    if (end.ended.kind !== 'done') throw new Error(`the focus ended as ${JSON.stringify(end.ended)}`);
    return model.perTurn();
  };
  try {
    await loop.answer((message) => message === 'ready');
    const rows: Record<string, Cost> = {};
    for (const [kind, calls] of Object.entries(KINDS)) {
      model.calls = calls;
      await run('Warm up.');
      rows[`turn with ${kind}`] = await least(FOCI, () => run('Do it.'));
    }
    return rows;
  } finally {
    await loop.stop();
    await model.close();
  }
}
