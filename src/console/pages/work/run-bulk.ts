/** Cancels or retries many items, as many as there are, and says what became of them. */
import type { ChangedWork, WorkState } from '../../../client/client.ts';
import { api, sentenceOf } from '../../model/api.ts';
import type { BulkFilter } from './filter.ts';

export type BulkAct = 'cancel' | 'retry';

export interface BulkResult {
  readonly changed: number;
  /** How many stay as they are, by reason. */
  readonly left: ReadonlyMap<string, number>;
}

const STATES: Readonly<Record<BulkAct, readonly WorkState[]>> = {
  cancel: ['scheduled', 'queued', 'claimed', 'running', 'waiting'],
  retry: ['dead', 'cancelled'],
};
const AT_ONCE = 4;

/** Whether the act changes anything of work in this state. */
export function applies(act: BulkAct, state: WorkState): boolean {
  return STATES[act].includes(state);
}

/** One by one, some at a time. */
export async function changeItems(
  act: BulkAct,
  ids: readonly string[],
  reason: string,
  tell: (done: number) => void,
): Promise<BulkResult> {
  const waiting = [...ids];
  const left = new Map<string, number>();
  let changed = 0;
  let done = 0;
  const run = async () => {
    for (let id = waiting.shift(); id !== undefined; id = waiting.shift()) {
      try {
        if (act === 'cancel') await api.work.cancel(id, reason === '' ? {} : { reason });
        else await api.work.retry(id);
        changed++;
      } catch (error) {
        count(left, sentenceOf(error));
      }
      tell(++done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, run));
  return { changed, left };
}

/** How many match, by state. */
export async function countMatching(act: BulkAct, filter: BulkFilter, signal: AbortSignal) {
  const { matching } = await ask(act, filter, { dry_run: true }, signal);
  return matching ?? [];
}

/** All that match, some hundreds per request. */
export async function changeMatching(
  act: BulkAct,
  filter: BulkFilter,
  reason: string,
  tell: (done: number) => void,
): Promise<BulkResult> {
  const left = new Map<string, number>();
  let changed = 0;
  for (let after: string | undefined; ; ) {
    const answer = await ask(act, filter, { after, ...(reason !== '' && { reason }) });
    changed += answer.changed.length;
    for (const one of answer.left) count(left, one.reason);
    tell(changed);
    if (answer.next === null) return { changed, left };
    after = answer.next;
  }
}

interface More {
  readonly dry_run?: boolean;
  readonly after?: string | undefined;
  readonly reason?: string;
}

/** A state that the act does nothing with matches nothing. */
async function ask(
  act: BulkAct,
  { state, ...filter }: BulkFilter,
  more: More,
  signal?: AbortSignal,
): Promise<ChangedWork> {
  if (state !== undefined && !applies(act, state)) return { matching: [], changed: [], left: [], next: null };
  if (act === 'cancel')
    return api.work.cancelMatching({ ...filter, ...more, state: state as OpenState | undefined }, { signal });
  return api.work.retryMatching({ ...filter, ...more, state: state as EndedState | undefined }, { signal });
}

type OpenState = 'scheduled' | 'queued' | 'claimed' | 'running' | 'waiting';
type EndedState = 'dead' | 'cancelled';

function count(left: Map<string, number>, reason: string): void {
  left.set(reason, (left.get(reason) ?? 0) + 1);
}
