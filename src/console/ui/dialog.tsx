/** A dialog in front of the page. Escape and the button close it, and the focus goes back to where it was. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { session } from '../model/session-state.ts';
import './dialog.css';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Only its own buttons close it, not Escape nor a click beside it; default false. */
  readonly stays?: boolean;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, stays = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  // A drag out of a text field ends in a click beside the dialog.
  const beganBeside = useRef(false);
  const id = useId();
  // In front of the login, whose page is kept behind it, a dialog would take everything that is typed there.
  const isBehind = session.value.is === 'none';
  useEffect(() => {
    const before = document.activeElement;
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    if (isBehind) dialog.current?.close();
    else if (dialog.current?.open === false) dialog.current.showModal();
  }, [isBehind]);
  const closed = () => {
    if (isBehind) return;
    if (stays) dialog.current?.showModal();
    else onClose();
  };
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onClose={closed}
      onCancel={(event) => stays && event.preventDefault()}
      onPointerDown={(event) => {
        beganBeside.current = event.target === dialog.current;
      }}
      onClick={(event) => !stays && beganBeside.current && event.target === dialog.current && onClose()}
    >
      <div class="dialog-inside">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
