/** Fills a database with a week of work of a small team. */
import { interruption } from '../../../core/errors/interruption.ts';
import { addUpSpend } from '../../../features/budgets/add-up-spend.ts';
import type { Database, Queryable } from '../../../store/sql/database.ts';
import { deregisterDaemon, registerDaemon } from '../../../store/work/daemons.ts';
import { giveBack } from '../../../store/work/work.ts';
import { DAEMONS, PEOPLE, served } from './cast.ts';
import { copyItems } from './copy-items.ts';
import { type DemoClock, underDemoClock } from './demo-clock.ts';
import { longStory } from './long-story.ts';
import { DEATHS } from './phrases.ts';
import { plotOf } from './plots.ts';
import { type Random, seededRandom } from './random.ts';
import { addSpecialStories, leaveOpenWork } from './special-stories.ts';
import { goOn, play, type Stage, type Story } from './stage.ts';
import { itemStory, type Plot } from './stories.ts';
import { addSurroundings, setLimits } from './surroundings.ts';
import { DAY_MS, timesOfWeek, WEEK_MS } from './working-week.ts';

export interface WeekOptions {
  readonly items: number;
  readonly seed: number;
  /** Turns of the longest item. */
  readonly longTurns: number;
  /** How much of it is done, from 0 to 1. */
  readonly onProgress: (share: number) => void;
  /** Aborted: nothing is kept of the transaction that runs. */
  readonly signal: AbortSignal;
}

/** So many items are lived through the functions of the engine, which takes some 20 ms each; the others are copies of these. */
const LIVED = 300;

export async function fillWeek(db: Database, options: WeekOptions): Promise<void> {
  const { items, seed, onProgress, signal } = options;
  const random = seededRandom(seed);
  const [row] = await db.query<{ now: number }>(`select extract(epoch from animus.now())::float8 * 1000 as now`);
  const endMs = Math.floor(row!.now);
  const lived = Math.min(items, LIVED);
  const ofAll = items > LIVED ? LIVED / (LIVED + (items - LIVED) / 20) : 1;
  await db.transaction((tx) =>
    liveWeek(tx, lived, { ...options, onProgress: (share) => onProgress(share * ofAll) }, { random, endMs }),
  );
  await liveLong(db, options, { random, endMs });
  const copying = { count: items - lived, endMs, random, signal };
  await copyItems(db, { ...copying, onProgress: (share) => onProgress(ofAll + share * (1 - ofAll)) });
  await db.transaction((tx) => {
    const times = { startMs: endMs - DAY_MS, endMs };
    const leave = (timed: Queryable, clock: DemoClock) =>
      leaveOpenWork({ tx: timed, clock, random, endMs, later: [], claimed: new Map() });
    return underDemoClock(tx, times, leave);
  });
  while ((await addUpSpend(db, 10_000)).added.length > 0);
  await db.transaction((tx) => setLimits({ tx }));
}

async function liveWeek(
  tx: Queryable,
  items: number,
  { onProgress, signal }: WeekOptions,
  { random, endMs }: { readonly random: Random; readonly endMs: number },
): Promise<void> {
  await underDemoClock(tx, { startMs: endMs - WEEK_MS, endMs }, async (timed, clock) => {
    const stage: Stage = { tx: timed, clock, random, endMs, later: [], claimed: new Map() };
    await setUp(stage);
    for (const atMs of timesOfWeek(items, endMs, random)) goOn(stage, atMs, itemStory(stage, anyPlot(random)));
    addSpecialStories(stage);
    addSurroundings(stage);
    await play(stage, () => {
      if (signal.aborted) throw interruption();
      onProgress(1 - (endMs - clock.atMs) / WEEK_MS);
    });
    // What was claimed and its story did not come to.
    await giveBack(timed, [...stage.claimed.values()]);
    clock.atMs = endMs;
    for (const { id } of DAEMONS) await deregisterDaemon(timed, id);
  });
}

/** Steps of the longest item that share a transaction. */
const STEPS = 10;

/** The longest item, in many transactions: the versions of a row that one transaction writes can only be removed after it, and each turn would read all of them. */
async function liveLong(
  db: Database,
  { longTurns, signal }: WeekOptions,
  { random, endMs }: { readonly random: Random; readonly endMs: number },
): Promise<void> {
  let stage: Stage | undefined;
  let story: Story | undefined;
  let at: number | null = endMs - 5.2 * DAY_MS;
  while (at !== null) {
    const startMs: number = at;
    at = await db.transaction((tx) =>
      underDemoClock(tx, { startMs, endMs }, async (timed, clock) => {
        if (signal.aborted) throw interruption();
        stage = Object.assign(stage ?? { random, endMs, later: [], claimed: new Map() }, { tx: timed, clock });
        story ??= longStory(stage, longTurns);
        for (let step = 0; step < STEPS; step++) {
          const { value, done } = await story.next();
          if (done === true) {
            await giveBack(timed, [...stage.claimed.values()]);
            return null;
          }
          clock.atMs = value;
        }
        return clock.atMs;
      }),
    );
  }
}

async function setUp({ tx }: Stage): Promise<void> {
  for (const { name, role } of Object.values(PEOPLE)) await tx.query('select animus.set_person($1, $2)', [name, role]);
  for (const daemon of DAEMONS) {
    await registerDaemon(tx, { ...daemon, version: 'demo', maxConcurrent: 8, faculties: served(), problems: [] });
  }
}

function anyPlot(random: Random): Plot {
  const kind = random.weighted({ fix: 24, review: 22, support: 34, research: 7, writing: 6, chore: 5, question: 2 });
  const plot = plotOf(kind, random);
  const end = random.weighted({ same: 92, dead: 5, cancelled: 3 });
  if (end === 'dead') {
    const [code, message] = random.pick(DEATHS);
    return { ...plot, end: { as: 'dead', code, message } };
  }
  if (end === 'cancelled') return { ...plot, end: { as: 'cancelled', by: 'mira', reason: 'done by hand meanwhile' } };
  return plot;
}
