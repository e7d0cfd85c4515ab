/** `animus work tail`: what happens on an item, live, and what has happened before. */
import type { Command } from 'commander';
import { systemClock } from '../core/clock.ts';
import { isTerminal } from '../core/work.ts';
import { createWake } from '../daemon/wake.ts';
import { createReplay, type TimedEvent } from '../engage/replay.ts';
import type { Database } from '../store/database.ts';
import { openNotifications } from '../store/notifications.ts';
import { readProgress, watchWork } from '../store/progress.ts';
import { findWork, readWork } from '../store/work-views.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from './command.ts';
import { withDatabase } from './database.ts';
import type { Output, Part } from './output.ts';
import { styled } from './output.ts';
import { duration, stateLabel } from './quantities.ts';
import { showOutcome } from './work-show.ts';

/** Adds `animus work tail`. */
export function addTailCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'tail <id>', {
    summary: 'follow an item live to its end, beginning with what has happened; --json prints one event per line',
    examples: ['animus work tail 5b1f0c3de2a9', 'animus work tail 5b1f0c3de2a9 --json | jq -c select(.type=="ledger")'],
  }).action(run(tailCommand));
}

/** Ledger entries and the end are announced; for the rest, and on the embedded database, it looks. */
const LOOK_EVERY_MS = 500;
/** Notifications are asked for an hour at a time. */
const WATCH_AGAIN_MS = 1_800_000;

async function tailCommand(invocation: Invocation, _options: CommonOptions, reference: string): Promise<number> {
  return withDatabase(invocation, async (db) => {
    const wake = createWake(systemClock);
    const notifications = openNotifications(db, ['animus_ledger', 'animus_work_done'], {
      onNotify: () => wake.ring(),
      onReconnect: () => wake.ring(),
    });
    await notifications.start();
    try {
      const ended = await follow(invocation, db, await findWork(db, reference), wake);
      return ended;
    } finally {
      await notifications.stop();
    }
  });
}

async function follow(
  { output, context }: Invocation,
  db: Database,
  wanted: string,
  wake: ReturnType<typeof createWake>,
): Promise<number> {
  const { drain } = context.signals;
  let id = wanted;
  let replay = createReplay();
  let watchedAtMs = Number.NEGATIVE_INFINITY;
  while (!drain.aborted) {
    if (systemClock.monotonicMs() - watchedAtMs > WATCH_AGAIN_MS) {
      watchedAtMs = systemClock.monotonicMs();
      await watchWork(db, id);
    }
    const progress = await readProgress(db, id, replay.cursor);
    for (const event of replay.take(progress)) show(output, event, id, progress.faculty);
    if (progress.mergedInto !== null) {
      output.note(`${id} merged into ${progress.mergedInto}`);
      [id, replay, watchedAtMs] = [progress.mergedInto, createReplay(), Number.NEGATIVE_INFINITY];
      continue;
    }
    if (isTerminal(progress.state)) {
      if (!output.json) showOutcome(output, await readWork(db, id));
      return progress.state === 'completed' ? 0 : 1;
    }
    await wake.wait(LOOK_EVERY_MS, drain);
  }
  // withDatabase tells that it was interrupted.
  return 130;
}

function show(output: Output, { atMs, ...event }: TimedEvent, workItemId: string, faculty: string): void {
  const at = new Date(atMs);
  output.event({ at: at.toISOString(), work_item_id: workItemId, faculty, ...snakeCase(event) });
  const parts = describe({ ...event, atMs });
  if (parts !== null) output.line(styled(`${at.toISOString().slice(11, 19)}  `, 'dim'), ...parts);
}

/** One line of an event, or null for one that only programs want. */
function describe(event: TimedEvent): readonly Part[] | null {
  switch (event.type) {
    case 'focus_started':
      return [styled(`focus ${event.number} ${event.resumed ? 'goes on' : 'begins'}`, 'bold')];
    case 'turn_started':
      return [styled(`turn ${event.turn}  `, 'cyan'), styled(`asking ${event.model}`, 'dim')];
    case 'turn_recorded':
      return event.text === '' ? null : [styled(`turn ${event.turn}  `, 'cyan'), event.text];
    case 'tool_started':
      return ['  ', styled(event.name, 'bold'), styled(`  ${JSON.stringify(event.input)}`, 'dim')];
    case 'tool_ended': {
      const mark: Part = event.isError ? styled('✗', 'red') : styled('✓', 'green');
      return ['  ', mark, ` ${event.name}`, styled(`  ${duration(event.durationMs)}  ${event.output}`, 'dim')];
    }
    case 'waiting':
      return [
        '  ',
        styled('waiting', 'yellow'),
        ` ${event.kind}`,
        event.deadline === null ? '' : ` until ${event.deadline}`,
      ];
    case 'ledger':
      return ['  ', styled(`ledger ${event.seq}  ${event.entryType}  `, 'yellow'), event.content];
    case 'focus_ended':
      return [styled(`focus ${event.endedAs}`, 'bold'), event.reason === null ? '' : `: ${event.reason}`];
    case 'ended':
      return [stateLabel(event.state)];
    case 'phase':
    case 'text':
    case 'restart':
      return null;
    default:
      return event satisfies never;
  }
}

/** As all of `--json` names its fields. */
function snakeCase(event: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(event).map(([key, value]) => [
      key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
}
