/** What the stories of the week share. */
import type { Queryable } from '../../../store/sql/database.ts';
import type { ClaimedWork } from '../../../store/work/work.ts';
import { PEOPLE, type PersonKey } from './cast.ts';
import type { DemoClock } from './demo-clock.ts';
import type { Random } from './random.ts';

export interface Stage {
  /** Both change where a story goes on in another transaction. */
  tx: Queryable;
  clock: DemoClock;
  readonly random: Random;
  /** The present, with which the week ends: milliseconds since 1970. */
  readonly endMs: number;
  /** What goes on later, the earliest last. */
  readonly later: Waiting[];
  /** Claimed before their own story has asked for them, by id. */
  readonly claimed: Map<string, ClaimedWork>;
}

type Waiting = readonly [atMs: number, story: Story];

/** Something that happens in steps: each yields when the next one comes. */
export type Story = AsyncGenerator<number, void>;

/** Plays stories in the order of time, and sets the clock to the time of each step. Steps after the end of the week do not happen. */
export async function play(stage: Stage, onStep: () => void): Promise<void> {
  const { later, clock, endMs } = stage;
  for (let next = later.pop(); next !== undefined; next = later.pop()) {
    const [atMs, story] = next;
    if (atMs > endMs) continue;
    clock.atMs = atMs;
    const { value, done } = await story.next();
    onStep();
    if (done !== true) goOn(stage, Math.max(value, clock.atMs), story);
  }
}

/** Has a story go on at this time. */
export function goOn({ later }: Stage, atMs: number, story: Story): void {
  let [low, high] = [0, later.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (later[middle]![0] > atMs) low = middle + 1;
    else high = middle;
  }
  later.splice(low, 0, [atMs, story]);
}

/** Acts for a person while `act` runs, as a gateway does: for the login of the owner alone, `animus.act_as` allows one person per transaction. */
export async function as<T>({ tx }: Pick<Stage, 'tx'>, person: PersonKey | null, act: () => Promise<T>): Promise<T> {
  if (person === null) return act();
  await tx.query(
    `select set_config('animus.acts_as', extract(epoch from transaction_timestamp())::text || ' ' || $1, true)`,
    [PEOPLE[person].name],
  );
  const done = await act();
  await tx.query(`select set_config('animus.acts_as', '', true)`);
  return done;
}
