/** Asks before many items are changed, with how many there are. */
import { useState } from 'preact/hooks';
import type { WorkState, WorkSummary } from '../../../client/client.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { State } from '../../ui/state.tsx';
import { S } from '../../words/strings.ts';
import type { BulkFilter } from './filter.ts';
import { applies, type BulkAct, changeItems, changeMatching, countMatching } from './run-bulk.ts';

export type BulkTarget =
  | { readonly is: 'items'; readonly items: readonly WorkSummary[] }
  | { readonly is: 'filter'; readonly filter: BulkFilter };

interface BulkDialogProps {
  readonly act: BulkAct;
  readonly target: BulkTarget;
  readonly onClose: (isDone: boolean) => void;
}

export function BulkDialog({ act, target, onClose }: BulkDialogProps) {
  const [reason, setReason] = useState('');
  const [done, setDone] = useState(0);
  const run = async () => {
    const { changed, left } =
      target.is === 'items'
        ? await changeItems(act, idsOf(act, target.items), reason, setDone)
        : await changeMatching(act, target.filter, reason, setDone);
    return S.work.bulkDone[act](changed, [...left].map(([why, count]) => `${count} × ${why}`).join('; '));
  };
  return (
    <Confirm
      title={S.work.bulkTitle[act]}
      first={(signal) => find(act, target, signal)}
      act={run}
      label={S.work.bulkLabel[act]}
      kind={act === 'cancel' ? 'danger' : 'primary'}
      onClose={onClose}
    >
      {act === 'cancel' && (
        <label>
          {S.item.reason}
          <input value={reason} maxLength={2000} onInput={(event) => setReason(event.currentTarget.value)} />
        </label>
      )}
      {done > 0 && <progress aria-label={S.work.bulkProgress} />}
      {done > 0 && <span class="faint"> {S.work.bulkSoFar(done)}</span>}
    </Confirm>
  );
}

function idsOf(act: BulkAct, items: readonly WorkSummary[]): readonly string[] {
  return items.filter(({ state }) => applies(act, state)).map(({ id }) => id);
}

async function find(act: BulkAct, target: BulkTarget, signal: AbortSignal) {
  const counts = new Map<WorkState, number>();
  const rows =
    target.is === 'items'
      ? target.items.filter(({ state }) => applies(act, state)).map(({ state }) => ({ state, items: 1 }))
      : await countMatching(act, target.filter, signal);
  for (const { state, items } of rows) counts.set(state, (counts.get(state) ?? 0) + items);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const others = target.is === 'items' ? target.items.length - total : 0;
  return {
    any: total > 0,
    shown: (
      <>
        <p>
          <b>{S.work.bulkCount[act](total)}</b>
        </p>
        <p class="counts">
          {[...counts].map(([state, count]) => (
            <span key={state}>
              <State of={state} /> {count.toLocaleString('en')}
            </span>
          ))}
        </p>
        {others > 0 && <p class="faint">{S.work.bulkOthers(others)}</p>}
        {act === 'cancel' && total > 0 && <p class="faint">{S.item.cancelChildren}</p>}
      </>
    ),
  };
}
