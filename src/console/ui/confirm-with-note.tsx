/** Asks before something is done, and for a note that is kept with it. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Confirm } from './confirm.tsx';

interface ConfirmWithNoteProps {
  readonly title: string;
  /** On the field of the note. */
  readonly note: string;
  readonly required?: boolean;
  readonly act: (note: string) => Promise<string>;
  readonly label: string;
  readonly kind?: 'primary' | 'danger';
  readonly onClose: (isDone: boolean) => void;
  readonly children?: ComponentChildren;
}

const MOST_CHARS = 2000;

export function ConfirmWithNote(props: ConfirmWithNoteProps) {
  const { title, note: noteLabel, required = false, act, label, kind = 'primary', onClose, children } = props;
  const [note, setNote] = useState('');
  return (
    <Confirm title={title} act={() => act(note.trim())} label={label} kind={kind} onClose={onClose}>
      {children}
      <label>
        {noteLabel}
        <input
          value={note}
          required={required}
          maxLength={MOST_CHARS}
          onInput={(event) => setNote(event.currentTarget.value)}
        />
      </label>
    </Confirm>
  );
}
