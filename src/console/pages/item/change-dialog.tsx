/** Changes work that has not begun, as the person has seen it: if it has changed since, nothing happens. */
import { useState } from 'preact/hooks';
import type { ChangeWorkInput, WorkItem } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { S } from '../../words/strings.ts';
import { inputTime, instantOf } from './record/input-time.ts';

export function ChangeDialog({ item, onClose }: { readonly item: WorkItem; readonly onClose: () => void }) {
  // As it was when the dialog was opened.
  const [seen] = useState(item);
  const [priority, setPriority] = useState(String(item.priority));
  const [runAt, setRunAt] = useState(inputTime(item.run_at));
  const [description, setDescription] = useState(item.description);
  const isNew = seen.turns === 0 && seen.attempts === 0;
  const act = async () => {
    const changes: ChangeWorkInput = {
      ...(Number(priority) !== seen.priority && { priority: Number(priority) }),
      ...(runAt !== inputTime(seen.run_at) && { run_at: instantOf(runAt) ?? new Date(0).toISOString() }),
      ...(description !== seen.description && { description }),
    };
    if (Object.keys(changes).length === 0) return S.item.unchanged;
    await api.work.change(seen.id, { ...changes, updated_at: seen.updated_at });
    return S.item.changed;
  };
  return (
    <Confirm title={S.item.changeTitle} act={act} label={S.item.change} onClose={onClose}>
      <label>
        {S.item.priorityLabel}
        <input
          type="number"
          step="1"
          value={priority}
          required
          onInput={(event) => setPriority(event.currentTarget.value)}
        />
      </label>
      <label>
        {S.item.runAtLabel}
        <input type="datetime-local" value={runAt} onInput={(event) => setRunAt(event.currentTarget.value)} />
      </label>
      {isNew && (
        <label>
          {S.item.descriptionLabel}
          <textarea
            rows={6}
            dir="auto"
            value={description}
            onInput={(event) => setDescription(event.currentTarget.value)}
          />
        </label>
      )}
    </Confirm>
  );
}
