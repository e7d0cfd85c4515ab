/** Turns of a whole daemon, which cost the same with one faculty and with 300. */
import { setTimeout } from 'node:timers/promises';
import type { Database } from '../../../src/store/sql/database.ts';
import { LAUNCHER, makeSite } from '../../support/daemon-process.ts';
import { type Cost, least, type Meter } from '../meter.ts';
import { startProbed } from '../probed-process.ts';
import { differences } from '../table.ts';
import { startTurnModel } from './turn-model.ts';

const FOCI = 3;
/** Exact also beside what else a daemon does. */
const MEASURES = ['fileCalls', 'statements', 'roundTrips', 'transactions'];

const faculty = (name: string) => `[faculty]
name = "${name}"
description = "Works"
isolation = "directory"
[faculty.engage]
model = "anthropic/claude-sonnet-4-5"
system_prompt = "You work."
tools = ["write_file"]
`;

export async function countFaculties(owner: Database, url: string, meter: Meter): Promise<Record<string, Cost>> {
  const name = 'turn of a daemon, whatever its faculties: a write of a file';
  const one = await countTurn(owner, url, meter, 1);
  const lines = differences(
    { 'with 300 faculties': one },
    { 'with 300 faculties': await countTurn(owner, url, meter, 300) },
  );
  if (lines.length > 0)
    throw new Error(`more than with one faculty, which the table stands for here:\n${lines.join('\n')}`);
  return { [name]: one };
}

async function countTurn(owner: Database, url: string, meter: Meter, size: number): Promise<Cost> {
  const model = await startTurnModel(
    (turn) => [['write_file', { path: `${turn}.txt`, content: `It is ${turn}.` }]],
    async () => ({ ...(await daemon.read('read')), ...(await meter.read()) }),
  );
  const names = Array.from({ length: size }, (_, n) => `of_${size}_${n}`);
  const site = makeSite({
    databaseUrl: meter.through(url),
    modelUrl: model.url,
    faculties: Object.fromEntries(names.map((each) => [each, faculty(each)])),
  });
  const daemon = startProbed([LAUNCHER, 'serve'], { cwd: site.directory, env: { ...site.env, LOG_LEVEL: 'warn' } });
  try {
    const cost = await least(FOCI, async () => {
      await Promise.race([work(owner, names[0]!), daemon.over]);
      const { collections: _, pageImages: __, ...turn } = model.perTurn();
      return turn;
    });
    return Object.fromEntries(MEASURES.map((measure) => [measure, cost[measure]!]));
  } finally {
    await daemon.stop();
    await model.close();
  }
}

/** Resolves when an item of this faculty is done. */
async function work(owner: Database, of: string): Promise<void> {
  const [item] = await owner.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ($1, 'Do it.') returning id`,
    [of],
  );
  for (;;) {
    const [row] = await owner.query<{ state: string }>('select state from animus.work_items where id = $1', [item!.id]);
    if (row?.state === 'completed') return;
    if (row?.state === 'failed') throw new Error('the item has failed');
    await setTimeout(20);
  }
}
