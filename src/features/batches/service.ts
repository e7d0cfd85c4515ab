/** Polls the batch APIs of the providers: one daemon at a time for each place (docs/batch.md). */
import { AnimusError, isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { timedLease } from '../../core/lifecycle/lease.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { within } from '../../core/lifecycle/within.ts';
import type { PartOfDaemon } from '../../daemon/parts/daemon-part.ts';
import type { PlacedBatches } from '../../llm/llm.ts';
import { type BatchPass, MAX_REQUESTS } from './batch-pass.ts';
import { bookAnswers } from './book-answers.ts';
import { collectBatch } from './collect-batch.ts';
import {
  type Batch,
  type BatchBounds,
  holdPoller,
  leavePoller,
  markBatch,
  openBatches,
  placesWithBatches,
  wakeStranded,
} from './store.ts';
import { findBatch, submitBatch } from './submit-batch.ts';

/** The most bytes of the bodies of a batch, far below the limits of the providers. */
const MAX_BYTES = 32 * 1024 * 1024;
/**
 * How long a daemon that was killed keeps others from polling, at least; it is extended three times as often. Two pollers at once do no harm: a
 * submit in progress is left alone until it is unclear, and an answer is stored once.
 */
const HOLD_MS = 30_000;
/** How long the calls in progress may take when the daemon stops. A submit that is cut is unclear. */
const STOP_MS = 10_000;

/** A poller. Every daemon of a database may run one. */
export function createBatchPoller({ db, clock, log, daemonId, settings, batches }: PartOfDaemon): Service {
  // They hold until the daemon ends.
  const { batch: config, daemon } = settings();
  const lookMs = Math.min(Math.max(1, daemon.pollSeconds), config.pollSeconds) * 1000;
  // Between two looks, a place is still polled.
  const holdMs = Math.max(HOLD_MS, 3 * lookMs);
  const loop = createLoop(run);
  const { stopping } = loop;
  const cut = new AbortController();
  const dismissed = new Map<string, Set<string>>();
  const sizes = new Map<string, { requests: number }>();
  /** After a batch that was not taken, no other is sent before the next poll. */
  const restUntilMs = new Map<string, number>();
  const held = new Set<string>();
  const polling = new Map<string, Promise<void>>();
  let troubled = false;

  async function run(): Promise<void> {
    while (!stopping.aborted) {
      await look();
      await clock.sleep(lookMs, stopping);
    }
    await Promise.all(polling.values());
    for (const place of held) {
      await leavePoller(db, place, daemonId).catch((error: unknown) => {
        log.warn(
          { place, error: messageOf(error) },
          'another daemon polls the batches once the time of this one is over',
        );
      });
    }
  }

  async function look(): Promise<void> {
    try {
      for (const place of await placesWithBatches(db)) {
        const of = batches(place);
        // A provider that hangs does not delay another.
        if (polling.has(place)) continue;
        const step = of === null ? askAbout(place) : poll(passOf(place, of));
        polling.set(
          place,
          step.finally(() => polling.delete(place)),
        );
      }
      if (polling.size === 0) troubled = false;
    } catch (error) {
      complain(error);
    }
  }

  function complain(error: unknown): void {
    if (!troubled) log.error({ error: messageOf(error) }, 'cannot look after batches; trying again');
    troubled = true;
  }

  /** Another daemon may know it. */
  async function askAbout(place: string): Promise<void> {
    try {
      const woken = await wakeStranded(db, place);
      if (woken > 0) log.warn({ place, work_items: woken }, 'the provider of a batch is gone: a person is asked');
    } catch (error) {
      complain(error);
    }
  }

  async function poll(pass: BatchPass): Promise<void> {
    const { place } = pass;
    const done = new AbortController();
    let holding: Promise<void> | null = null;
    try {
      await pass.hold();
      holding = holdOn(pass, done.signal);
      for (const batch of await openBatches(db, place)) {
        if (stopping.aborted) return;
        if (isDue(batch)) await attend(batch, pass);
      }
      await bookAnswers(pass);
      await submitAll(pass);
      troubled = false;
    } catch (error) {
      // Another daemon polls.
      if (!isAnimusError(error, 'work.lease_lost')) complain(error);
    } finally {
      done.abort();
      await holding;
    }
  }

  /** During long calls. What fails here fails again in the next step, where it counts. */
  async function holdOn(pass: BatchPass, done: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(holdMs / 3, done);
      if (done.aborted) return;
      await pass.hold().catch(() => {});
    }
  }

  function isDue({ polledMsAgo }: Batch): boolean {
    return polledMsAgo === null || polledMsAgo >= config.pollSeconds * 1000;
  }

  async function submitAll(pass: BatchPass): Promise<void> {
    const { place, submitTimeoutMs } = pass;
    while (!stopping.aborted && clock.monotonicMs() >= (restUntilMs.get(place) ?? 0)) {
      const token = await pass.hold();
      // The time limit begins before the mark: nothing is sent later than the mark allows for. A process that was frozen runs its timers late.
      const signal = within(submitTimeoutMs, cut.signal);
      const over = new AnimusError('work.lease_lost', { held: `the batches of ${place}` });
      const lease = timedLease(clock, submitTimeoutMs, () => Promise.reject(over));
      const batch = await markBatch(db, place, token, bounds(pass));
      if (batch === null) return;
      if (!(await submitBatch(batch, token, { signal, lease }, pass)))
        restUntilMs.set(place, clock.monotonicMs() + config.pollSeconds * 1000);
    }
  }

  function bounds({ size }: BatchPass): BatchBounds {
    const unclearSeconds = 2 * config.submitTimeoutSeconds;
    const maxRequests = Math.min(MAX_REQUESTS, size.requests);
    return { gatherSeconds: config.gatherSeconds, maxRequests, maxBytes: MAX_BYTES, unclearSeconds };
  }

  function passOf(place: string, of: PlacedBatches): BatchPass {
    const known = dismissed.get(place) ?? new Set<string>();
    dismissed.set(place, known);
    const size = sizes.get(place) ?? { requests: MAX_REQUESTS };
    sizes.set(place, size);
    const hold = async () => {
      const token = await holdPoller(db, place, daemonId, holdMs / 1000);
      if (token === null) throw new AnimusError('work.lease_lost', { held: `the batches of ${place}` });
      held.add(place);
      return token;
    };
    const lease = timedLease(clock, holdMs, hold);
    return {
      db,
      log,
      place,
      provider: of.provider,
      lease,
      batches: of,
      submitTimeoutMs: config.submitTimeoutSeconds * 1000,
      dismissed: known,
      size,
      cut: cut.signal,
      hold,
    };
  }

  return {
    start: loop.start,
    async stop() {
      const ended = new AbortController();
      const cutting = clock.sleep(STOP_MS, ended.signal).then(() => cut.abort());
      await loop.stop();
      ended.abort();
      await cutting;
    },
  };
}

async function attend(batch: Batch, pass: BatchPass): Promise<void> {
  const { providerId } = batch;
  if (providerId !== null) await collectBatch({ ...batch, providerId }, pass);
  else if (batch.unclear) await findBatch(batch, pass);
}
