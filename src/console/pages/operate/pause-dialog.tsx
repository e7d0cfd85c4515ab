/** Pauses one faculty or everything. */
import { useState } from 'preact/hooks';
import { api } from '../../model/api.ts';
import { ConfirmWithNote } from '../../ui/confirm-with-note.tsx';
import { S } from '../../words/strings.ts';

export function PauseDialog({ onClose }: { readonly onClose: () => void }) {
  const [faculty, setFaculty] = useState('');
  const [all, setAll] = useState(false);
  const act = async (reason: string) => {
    const { warning } = await api.operate.pause({
      ...(!all && { faculty: faculty.trim() }),
      ...(reason !== '' && { reason }),
    });
    return S.agents.isPaused(all ? S.operate.everything : faculty.trim(), warning ?? null);
  };
  return (
    <ConfirmWithNote
      title={S.operate.queues.pauseTitle}
      note={S.agents.pauseReason}
      label={S.agents.pause}
      act={act}
      onClose={onClose}
    >
      <p class="faint">{S.agents.pauseHint}</p>
      <label>
        {S.operate.queues.columns.faculty}
        <input
          value={all ? '' : faculty}
          required={!all}
          disabled={all}
          onInput={(event) => setFaculty(event.currentTarget.value)}
        />
      </label>
      <label class="check">
        <input type="checkbox" checked={all} onChange={(event) => setAll(event.currentTarget.checked)} />
        {S.operate.everything}
      </label>
    </ConfirmWithNote>
  );
}
