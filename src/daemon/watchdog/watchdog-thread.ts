/** The thread of the watchdog. It uses nothing that needs the event loop of the daemon, such as its console: while the loop is blocked, that does not work. */
import { setTimeout as sleep } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf } from '../../core/errors/errors.ts';
import { createBlockDetector } from './block-detector.ts';
import { watchEndSignals } from './end-signals.ts';
import { readMainStack } from './main-stack.ts';
import { BEAT_MS, type WatchdogData, type WatchdogMessage } from './watchdog-data.ts';

/** A loop that is blocked this long is reported. */
const REPORT_MS = 1000;
/** After this long, it is recorded in the database. */
const RECORD_MS = 3000;
/** Share of the lease. The last heartbeat may have been a third of a lease before the block began: the lease still holds then. */
const GIVE_UP_SHARE = 0.45;
/** How long a blocked loop has to handle a signal; a second signal is obeyed at once. */
const OBEY_MS = 5000;
/** How long the database may take to answer before the loop is looked at again, or a process that was asked to end is ended without it. */
const LAST_WORDS_MS = 3000;
/** The last words, and how long the supervisor may need to kill the commands of a daemon that is gone. */
const AFTER_END = '8 seconds';

await main(workerData as WatchdogData);

async function main(data: WatchdogData): Promise<void> {
  const beats = new Int32Array(data.beats);
  const asked: number[] = [];
  const sees = data.signals && watchEndSignals(() => void asked.push(performance.now()));
  const detector = createBlockDetector(BEAT_MS, () => Atomics.load(beats, 0));
  let stack: readonly string[] | null = null;
  let recorded = false;
  let gaveUp = false;
  tell({ type: 'watching', signals: sees });

  for (;;) {
    await sleep(BEAT_MS);
    const nowMs = performance.now();
    const beat = Atomics.load(beats, 0);
    const { blockedMs, endedMs } = detector.look(nowMs);
    // What came before the block was handled by the loop.
    while (asked.length > 0 && asked[0]! < nowMs - blockedMs - 2 * BEAT_MS) asked.shift();
    if (endedMs >= REPORT_MS) tell({ type: 'blocked', seconds: endedMs / 1000, stack: stack ?? [] });
    if (blockedMs < REPORT_MS) {
      stack = null;
      recorded = false;
      gaveUp = false;
      continue;
    }
    if (stack === null) {
      stack = await readMainStack();
      await say(data, 'warn', { seconds: blockedMs / 1000, stack }, 'the event loop is blocked');
      // Reading the stack may have taken seconds.
      if (Atomics.load(beats, 0) !== beat) continue;
    }
    if (isToEnd(asked, performance.now())) {
      await endProcess(data, blockedMs, 'the event loop does not handle a signal to end: ending the process');
    }
    if (!recorded && blockedMs >= RECORD_MS) {
      recorded = true;
      await soon(recordBlocked(data, blockedMs));
    }
    if (!gaveUp && blockedMs >= GIVE_UP_SHARE * data.leaseMs) {
      gaveUp = true;
      await soon(giveUp(data, blockedMs, null));
    }
    // Service managers restart only what has exited.
    if (blockedMs >= data.leaseMs) {
      await endProcess(data, blockedMs, 'the event loop has been blocked for too long: ending the process');
    }
  }
}

function isToEnd([first, ...more]: readonly number[], nowMs: number): boolean {
  if (first === undefined) return false;
  // One press of Ctrl-C may arrive twice (core/lifecycle/interrupts.ts).
  return nowMs - first >= OBEY_MS || more.some((atMs) => atMs - first > 250);
}

/** Its commands end with it: the supervisor sees that the daemon is gone. */
async function endProcess(data: WatchdogData, blockedMs: number, why: string): Promise<void> {
  await say(data, 'error', { seconds: blockedMs / 1000 }, why);
  await soon(giveUp(data, blockedMs, AFTER_END));
  process.kill(process.pid, 'SIGKILL');
}

/** A database that does not answer must not keep the thread from looking. */
async function soon(saying: Promise<void>): Promise<void> {
  await Promise.race([saying, sleep(LAST_WORDS_MS)]);
}

async function recordBlocked(data: WatchdogData, blockedMs: number): Promise<void> {
  const { reportBlocked } = await import('../../store/work/claimed/give-up-daemon.ts');
  await reportBlocked(data.connectionString, data.daemonId, blockedMs / 1000).catch((error: unknown) =>
    say(data, 'warn', { error: messageOf(error) }, 'could not record that the event loop is blocked'),
  );
}

async function giveUp(data: WatchdogData, blockedMs: number, pause: string | null): Promise<void> {
  const { giveUpDaemon } = await import('../../store/work/claimed/give-up-daemon.ts');
  const block = { seconds: blockedMs / 1000, pause };
  try {
    const items = await giveUpDaemon(data.connectionString, data.daemonId, block);
    await say(
      data,
      'error',
      { items, seconds: block.seconds },
      'the event loop is blocked: gave up the work of this daemon',
    );
  } catch (error) {
    await say(
      data,
      'error',
      { error: messageOf(error) },
      'the event loop is blocked, and the work of this daemon could not be given up',
    );
  }
}

async function say(data: WatchdogData, level: 'warn' | 'error', fields: object, message: string): Promise<void> {
  const { openLog } = await import('../../telemetry/log.ts');
  openLog({ level: data.logLevel, format: data.pretty ? 'pretty' : 'json' })[level](fields, message);
}

function tell(message: WatchdogMessage): void {
  // The rule is about browser windows.
  // oxlint-disable-next-line unicorn/require-post-message-target-origin
  parentPort!.postMessage(message);
}
