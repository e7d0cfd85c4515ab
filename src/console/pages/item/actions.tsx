/** What the person may do about an item. */
import { useState } from 'preact/hooks';
import type { WorkItem } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { goTo, hrefTo } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { tell } from '../../ui/notices.tsx';
import { S } from '../../words/strings.ts';
import { ChangeDialog } from './change-dialog.tsx';
import { isBeforeClaim, isOpen } from './record/item.ts';

interface ActionsProps {
  readonly item: WorkItem;
  readonly reload: () => void;
}

type Opened = 'cancel' | 'retry' | 'change' | null;

export function Actions({ item, reload }: ActionsProps) {
  const [opened, setOpened] = useState<Opened>(null);
  const close = () => {
    setOpened(null);
    reload();
  };
  return (
    <div class="item-actions">
      {may('work') && isBeforeClaim(item.state) && (
        <button type="button" onClick={() => setOpened('change')}>
          {S.item.change} …
        </button>
      )}
      {may('decide') && (item.state === 'dead' || item.state === 'cancelled') && (
        <button type="button" class="primary" onClick={() => setOpened('retry')}>
          {S.item.retry} …
        </button>
      )}
      {may('work') && isOpen(item.state) && (
        <button type="button" class="danger" onClick={() => setOpened('cancel')}>
          {S.item.cancel} …
        </button>
      )}
      {may('work') && <a href={hrefTo('submit', [], { like: item.id })}>{S.item.again}</a>}
      <button type="button" class="quiet" onClick={() => void copyAddress()}>
        {S.item.copyLink}
      </button>
      {opened === 'cancel' && <CancelDialog item={item} onClose={close} />}
      {opened === 'retry' && <RetryDialog item={item} onClose={close} />}
      {opened === 'change' && <ChangeDialog item={item} onClose={close} />}
    </div>
  );
}

async function copyAddress(): Promise<void> {
  await navigator.clipboard.writeText(location.href);
  tell(S.item.copied);
}

interface DialogProps {
  readonly item: WorkItem;
  readonly onClose: () => void;
}

function CancelDialog({ item, onClose }: DialogProps) {
  const [reason, setReason] = useState('');
  const act = async () => {
    const { state } = await api.work.cancel(item.id, reason === '' ? {} : { reason });
    return state === 'cancelled' ? S.item.isCancelled : S.item.willCancel;
  };
  return (
    <Confirm title={S.item.cancelTitle} act={act} label={S.item.cancel} kind="danger" onClose={onClose}>
      <p class="faint">{S.item.cancelChildren}</p>
      <label>
        {S.item.reason}
        <input value={reason} maxLength={2000} onInput={(event) => setReason(event.currentTarget.value)} autoFocus />
      </label>
    </Confirm>
  );
}

function RetryDialog({ item, onClose }: DialogProps) {
  const act = async () => {
    const { id } = await api.work.retry(item.id);
    if (id !== item.id) goTo('work', [id]);
    return S.item.isQueued;
  };
  return (
    <Confirm title={S.item.retryTitle} act={act} label={S.item.retry} onClose={onClose}>
      <p class="faint">{S.item.retryHint}</p>
    </Confirm>
  );
}
