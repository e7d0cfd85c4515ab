/** Decides about all requests that were chosen: each is named by its id, so none that came meanwhile is decided. */
import { useState } from 'preact/hooks';
import { api } from '../../model/api.ts';
import { may } from '../../model/session-state.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { S } from '../../words/strings.ts';
import { type Cause, waysOfMany } from './arrange.ts';

interface BulkProps {
  readonly causes: readonly Cause[];
  readonly chosen: ReadonlySet<string>;
  readonly onDone: () => void;
}

type Way = 'approve' | 'deny' | 'answer';

export function Bulk({ causes, chosen, onDone }: BulkProps) {
  const [way, setWay] = useState<Way | null>(null);
  const [note, setNote] = useState('');
  const waiting = new Set(
    causes.flatMap(({ rows }) => rows.flatMap(({ ask, isGone }) => (isGone ? [] : [ask.ask_id]))),
  );
  const ids = [...chosen].filter((id) => waiting.has(id));
  if (!may('decide') || ids.length === 0) return null;
  const ways = waysOfMany(causes, new Set(ids));
  return (
    <div class="inbox-bulk">
      <span>{S.inbox.chosen(ids.length)}</span>
      {ways.map((each) => (
        <button key={each} type="button" class={each === 'deny' ? 'danger' : undefined} onClick={() => setWay(each)}>
          {S.inbox.bulk[each]}
        </button>
      ))}
      {ways.length === 0 && <span class="faint">{S.inbox.noBulk}</span>}
      {way !== null && (
        <Confirm
          title={S.inbox.bulkTitle[way](ids.length)}
          label={S.inbox.bulk[way]}
          kind={way === 'deny' ? 'danger' : 'primary'}
          act={async () => {
            const { decided } = await api.approvals.decide({ ask_ids: ids, action: way, note });
            return S.inbox.decided(decided, ids.length);
          }}
          onClose={(isDone) => {
            setWay(null);
            if (isDone) onDone();
          }}
        >
          <label class="ask-note">
            <span>{S.inbox.bulkNote[way]}</span>
            <input required maxLength={10_000} value={note} onInput={(event) => setNote(event.currentTarget.value)} />
          </label>
        </Confirm>
      )}
    </div>
  );
}
