/** A dialog in front of the page. Escape and the button close it, and the focus goes back to where it was. */
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import './dialog.css';

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ComponentChildren;
}

export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      <div class="dialog-inside">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}
