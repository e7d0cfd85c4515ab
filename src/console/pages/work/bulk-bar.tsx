/** Acts on many items: those that are selected, or all that pass the filter. How many there are is said before anything happens. */
import { useState } from 'preact/hooks';
import type { WorkSummary } from '../../../client/client.ts';
import { may } from '../../model/session-state.ts';
import { S } from '../../words/strings.ts';
import { BulkDialog, type BulkTarget } from './bulk-dialog.tsx';
import { bulkFilterOf, type WorkFilter } from './filter.ts';
import type { BulkAct } from './run-bulk.ts';

interface BulkBarProps {
  readonly filter: WorkFilter;
  readonly items: readonly WorkSummary[];
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
  readonly reload: () => void;
}

export function BulkBar({ filter, items, selected, onSelect, reload }: BulkBarProps) {
  // What the dialog says is what it does: the list and the selection change behind it.
  const [opened, setOpened] = useState<{ readonly act: BulkAct; readonly target: BulkTarget } | null>(null);
  const chosen = items.filter(({ id }) => selected.has(id));
  const matching = bulkFilterOf(filter);
  const target: BulkTarget | null =
    chosen.length > 0 ? { is: 'items', items: chosen } : matching === null ? null : { is: 'filter', filter: matching };
  const open = (act: BulkAct) => target !== null && setOpened({ act, target });
  if (!may('work') || (items.length === 0 && opened === null)) return null;
  return (
    <div class="bulk">
      {chosen.length > 0 && (
        <>
          <span>{S.work.isSelected(chosen.length)}</span>
          <button type="button" class="quiet" onClick={() => onSelect(new Set())}>
            {S.work.unselect}
          </button>
        </>
      )}
      <button
        type="button"
        disabled={target === null}
        title={target === null ? S.work.tooNarrow : undefined}
        onClick={() => open('cancel')}
      >
        {chosen.length > 0 ? S.work.cancelSelected : S.work.cancelAll} …
      </button>
      {may('decide') && (
        <button
          type="button"
          disabled={target === null}
          title={target === null ? S.work.tooNarrow : undefined}
          onClick={() => open('retry')}
        >
          {chosen.length > 0 ? S.work.retrySelected : S.work.retryAll} …
        </button>
      )}
      {opened !== null && (
        <BulkDialog
          act={opened.act}
          target={opened.target}
          onClose={(isDone) => {
            setOpened(null);
            if (isDone) onSelect(new Set());
            reload();
          }}
        />
      )}
    </div>
  );
}
