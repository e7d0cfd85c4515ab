/** What every week has, however many items it has. */
import { randomUUID } from 'node:crypto';
import { FACULTIES } from './cast.ts';
import { begin, submit, take, turn } from './item-life.ts';
import { type PlotKind, plotOf } from './plots.ts';
import { as, goOn, type Stage, type Story } from './stage.ts';
import { claimedStory, itemStory } from './stories.ts';
import { treeStory } from './tree-story.ts';
import { DAY_MS, HOUR_MS } from './working-week.ts';

const MINUTE_MS = 60_000;

export function addSpecialStories(stage: Stage): void {
  const { random, endMs } = stage;
  for (const [days, children] of [
    [6.1, 3],
    [4.2, 5],
    [2.1, 2],
    [1.05, 4],
  ] as const)
    goOn(stage, endMs - days * DAY_MS, treeStory(stage, children));
  for (const days of [5.1, 3.2, 1.1]) goOn(stage, endMs - days * DAY_MS, duplicateStory(stage));
  // These wait for a person when the week ends.
  for (let n = 0; n < 6; n++) goOn(stage, endMs - random.between(10, 400) * MINUTE_MS, openAsk(stage, 'chore'));
  for (let n = 0; n < 3; n++) goOn(stage, endMs - random.between(10, 300) * MINUTE_MS, openAsk(stage, 'question'));
  for (let n = 0; n < 2; n++) goOn(stage, endMs - random.between(60, 900) * MINUTE_MS, budgetStory(stage));
  for (let n = 0; n < 4; n++) goOn(stage, endMs - random.between(1, 9) * MINUTE_MS, runningStory(stage));
  goOn(stage, endMs - 3.4 * DAY_MS, steeredStory(stage));
}

/** Work that nobody takes any more: it stays queued or scheduled. */
export async function leaveOpenWork(stage: Stage): Promise<void> {
  const { clock, random, endMs } = stage;
  for (let n = 7; n > 0; n--) {
    clock.atMs = endMs - n * random.between(2, 8) * MINUTE_MS;
    await submit(stage, plotOf(random.pick(['fix', 'support', 'review', 'writing'] as const), random).task);
  }
  clock.atMs = endMs - HOUR_MS;
  for (const hours of [14, 38])
    await submit(stage, { ...plotOf('writing', random).task, runAt: endMs + hours * HOUR_MS });
}

async function* openAsk(stage: Stage, kind: PlotKind): Story {
  const plot = plotOf(kind, stage.random);
  const chapters = plot.chapters.map((chapter) => ('by' in chapter ? { ...chapter, afterMs: 30 * DAY_MS } : chapter));
  yield* itemStory(stage, { ...plot, chapters });
}

/** Somebody submits the same twice: the second one merges into the first. */
async function* duplicateStory(stage: Stage): Story {
  const plot = plotOf('fix', stage.random);
  const task = { ...plot.task, dedupKey: `issue-${stage.random.between(1000, 1999)}` };
  const story = itemStory(stage, { ...plot, task });
  const first = await story.next();
  await submit(stage, task);
  if (first.done === true) return;
  yield first.value;
  yield* story;
}

/** A limit is used up, and the work waits for more. */
async function* budgetStory(stage: Stage): Story {
  const plot = plotOf('research', stage.random);
  const { task } = plot;
  const id = await submit(stage, task);
  await as(stage, 'mira', () =>
    stage.tx.query(`select animus.set_budget('item', $1, 'none', 'usd', 0.19, 'wait')`, [id]),
  );
  const life = await take(stage, id, task.faculty);
  yield* claimedStory(stage, life, {
    ...plot,
    chapters: [...plot.chapters, ...plot.chapters, ...plot.chapters, ...plot.chapters],
  });
}

/** Still under way when the week ends: its request was sent. */
async function* runningStory(stage: Stage): Story {
  const plot = plotOf(stage.random.pick(['fix', 'research', 'review'] as const), stage.random);
  const id = await submit(stage, plot.task);
  const life = await take(stage, id, plot.task.faculty);
  for (const chapter of plot.chapters.slice(0, 2))
    if ('says' in chapter && !('by' in chapter)) await turn(stage, life, chapter);
  await begin(stage, life, randomUUID());
  yield stage.endMs + 1;
}

/** A person corrects the work while it runs. */
async function* steeredStory(stage: Stage): Story {
  const plot = plotOf('fix', stage.random);
  const steer = {
    from: 'mira' as const,
    text: 'Keep the public signature: the partners’ API uses it. A comment with the reason would help.',
  };
  yield* itemStory(stage, {
    ...plot,
    task: { ...plot.task, faculty: FACULTIES.engineer },
    chapters: [...plot.chapters.slice(0, 2), steer, ...plot.chapters.slice(2)],
  });
}
