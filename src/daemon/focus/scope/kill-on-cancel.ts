/** Ends the processes of a focus that is no longer wanted: a hook gets a moment to end on its own, and no more. */
import type { Clock } from '../../../core/lifecycle/clock.ts';
import type { ProcessHost } from '../../../process/process-host.ts';
import { abortReason, type FocusControl } from './focus-control.ts';

/** Between SIGTERM, which an abort sends, and SIGKILL. A cancel takes effect within a second. */
const GRACE_MS = 500;

/**
 * Kills all processes of the item half a second after its focus was cancelled or has lost its lease. A daemon that stops, and a run
 * deadline, leave hooks the longer time of the process host. Returns a function that stops this; call it when the phases are over.
 */
export function killOnCancel(
  workItemId: string,
  control: FocusControl,
  processes: ProcessHost,
  clock: Clock,
): () => Promise<void> {
  const over = new AbortController();
  let killing: Promise<void> = Promise.resolve();
  const kill = async () => {
    await clock.sleep(GRACE_MS, over.signal);
    if (!over.signal.aborted) await processes.killAll(workItemId);
  };
  const onAbort = () => {
    const reason = abortReason(control);
    if (reason === 'cancelled' || reason === 'lease_lost') killing = kill();
  };
  control.signal.addEventListener('abort', onAbort, { once: true });
  if (control.signal.aborted) onAbort();
  return async () => {
    control.signal.removeEventListener('abort', onAbort);
    over.abort('over');
    await killing;
  };
}
