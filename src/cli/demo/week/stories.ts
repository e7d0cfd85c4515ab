/** The stories of single items: how they come, go on and end. */
import { setPhase } from '../../../store/transcript/focus-row.ts';
import { parkWork } from '../../../store/transcript/waits.ts';
import { completeWork, endCancelled, failWork } from '../../../store/work/work.ts';
import type { Chapter } from './chapter.ts';
import { type Life, submit, type Task, take, turn } from './item-life.ts';
import { type KeptFile, keepFile, keepPatch } from './item-results.ts';
import { ask } from './item-waits.ts';
import { as, type Stage, type Story } from './stage.ts';

/** What an item is about, what is done, and how it ends. */
export interface Plot {
  readonly task: Task;
  readonly chapters: readonly Chapter[];
  readonly end: End;
  /** Of work that completes: what it has changed, as git shows it. */
  readonly patch?: string;
  readonly file?: KeptFile;
}

export type End =
  | { readonly as: 'completed'; readonly outcome: Readonly<Record<string, unknown>>; readonly summary: string }
  /** All attempts fail like this. */
  | { readonly as: 'dead'; readonly code: string; readonly message: string }
  | { readonly as: 'cancelled'; readonly by: 'mira' | 'tomas'; readonly reason: string };

/** Lives an item from its submission to its end, or to the end of the week. */
export async function* itemStory(stage: Stage, plot: Plot): Story {
  const id = await submit(stage, plot.task);
  stage.clock.atMs += stage.random.between(200, 40_000);
  yield* claimedStory(stage, await take(stage, id, plot.task.faculty), plot);
}

/** The same for an item that is claimed. */
export async function* claimedStory(stage: Stage, begun: Life, plot: Plot): Story {
  const { task, chapters, end } = plot;
  const { tx, clock, random } = stage;
  const id = begun.workItemId;
  let life = yield* live(stage, begun, chapters);
  if (life === null) return;
  if (end.as === 'dead') {
    for (let attempt = 1; attempt < task.faculty.maxAttempts; attempt++) {
      const delay = random.between(20, 90) * attempt;
      await failWork(tx, work(life), { code: end.code, message: end.message, phase: 'engage' }, delay);
      yield clock.atMs + delay * 1000 + 500;
      const again = await take(stage, id, task.faculty);
      life = yield* live(
        stage,
        again,
        chapters.filter((chapter) => 'says' in chapter && !('by' in chapter)).slice(0, 2),
      );
      if (life === null) return;
    }
    await failWork(tx, work(life), { code: end.code, message: end.message, phase: 'engage' }, null);
  } else if (end.as === 'cancelled') {
    await as(stage, end.by, () => tx.query('select animus.cancel_work($1, $2)', [id, end.reason]));
    await endCancelled(tx, work(life));
  } else {
    await turn(stage, life, { says: end.summary });
    await setPhase(tx, life, 'consolidate');
    if (plot.patch) await keepPatch(stage, life, plot.patch);
    if (plot.file) await keepFile(stage, life, plot.file);
    await completeWork(tx, work(life), { ...end.outcome, text: end.summary }, end.summary);
  }
}

/** Goes through chapters, with pauses in which nothing is recorded. Null: it waits for more budget, until somebody decides after the week. */
export async function* live(
  stage: Stage,
  begun: Life,
  chapters: readonly Chapter[],
): AsyncGenerator<number, Life | null> {
  let life = begun;
  for (const chapter of chapters) {
    if ('by' in chapter) {
      life = yield* ask(stage, life, chapter);
    } else if ('from' in chapter) {
      await as(stage, chapter.from, () => stage.tx.query('select animus.say($1, $2)', [life.workItemId, chapter.text]));
    } else {
      const { permit } = await turn(stage, life, chapter);
      if (permit === 'budget') {
        await parkWork(stage.tx, work(life));
        return null;
      }
      yield stage.clock.atMs + stage.random.between(50, 900);
    }
  }
  return life;
}

export function work(life: Life): { readonly id: string; readonly leaseToken: string } {
  return { id: life.workItemId, leaseToken: life.leaseToken };
}
