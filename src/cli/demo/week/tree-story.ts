/** Work that gives parts of itself to others, and waits for them. */

import { finishToolCalls } from '../../../store/transcript/calls.ts';
import { lockChildren, spawnChildWork } from '../../../store/transcript/children.ts';
import { openWait, parkWork } from '../../../store/transcript/waits.ts';
import { completeWork } from '../../../store/work/work.ts';
import { FACULTIES } from './cast.ts';
import { type Life, note, resultOf, submit, type Task, take, turn } from './item-life.ts';
import { AREAS } from './phrases.ts';
import { plotOf } from './plots.ts';
import { goOn, type Stage, type Story } from './stage.ts';
import { claimedStory, type Plot, work } from './stories.ts';

/** An engineer has a change reviewed, its texts written and a question looked up, all at once. */
export async function* treeStory(stage: Stage, children: number): Story {
  const { tx, clock, random } = stage;
  const area = random.pick(AREAS);
  const task: Task = {
    faculty: FACULTIES.engineer,
    description: `Bring the new ${area.name} to all 14 harbours: change it, have it reviewed, and have the texts written.`,
    params: { milestone: '2026.48' },
    by: 'mira',
    priority: 5,
  };
  const id = await submit(stage, task);
  clock.atMs += random.between(500, 5000);
  const life = await take(stage, id, task.faculty);
  await turn(stage, life, {
    says: 'Parts of this can be done side by side.',
    calls: [note('plan', `Spawn ${children} parts, wait for all of them, put them together.`)],
  });
  const parts = Array.from({ length: children }, () =>
    plotOf(random.pick(['review', 'writing', 'research'] as const), random),
  );
  const targets: string[] = [];
  for (const part of parts) targets.push(await spawn(stage, life, part));
  await awaitAll(stage, life, targets);
  for (const [n, part] of parts.entries()) {
    clock.atMs += random.between(500, 9000);
    goOn(stage, clock.atMs, claimedStory(stage, await take(stage, targets[n]!, part.task.faculty), part));
  }
  let state = 'waiting';
  while (state === 'waiting') {
    yield clock.atMs + 20_000;
    const [row] = await tx.query<{ state: string }>('select state from animus.work_items where id = $1', [id]);
    state = row!.state;
  }
  const resumed = await take(stage, id, task.faculty, life);
  resumed.results = [resultOf(life, life.open!, `${children} of ${children} ended: completed`, 'done')];
  const summary = `The new ${area.name} is ready for all harbours: ${children} parts, all done.`;
  await turn(stage, resumed, { says: summary });
  await completeWork(tx, work(resumed), { parts: children, text: summary }, summary);
}

async function spawn(stage: Stage, life: Life, { task }: Plot): Promise<string> {
  const input = { faculty: task.faculty.name, description: task.description };
  await turn(stage, life, { says: '', calls: [{ tool: 'spawn_child_work', input, ms: 30 }] });
  const call = life.open!;
  const asked = {
    ...input,
    params: task.params ?? {},
    skill: null,
    priority: null,
    dedupKey: null,
    detached: false,
    traceContext: null,
  };
  const child = await spawnChildWork(stage.tx, { ...life, callId: call.id }, asked, { maxChildren: 20, maxDepth: 3 });
  const result = { ...resultOf(life, call, `spawned ${child.id}`, 'done'), details: { child: child.id } };
  await finishToolCalls(stage.tx, life, [result]);
  stage.clock.atMs += 200;
  return child.id;
}

async function awaitAll(stage: Stage, life: Life, targets: readonly string[]): Promise<void> {
  await turn(stage, life, { says: '', calls: [{ tool: 'await_child_work', input: { mode: 'all' }, ms: 10 }] });
  await lockChildren(stage.tx, life, targets);
  await openWait(stage.tx, life, life.turn, life.open!.id, { kind: 'children', targets, mode: 'all', deadline: null });
  await parkWork(stage.tx, work(life));
}
