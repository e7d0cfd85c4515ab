/** A secret that is shown once: in no list, and gone when the dialog is closed. */
import { useState } from 'preact/hooks';
import { S } from '../words/strings.ts';
import { Dialog } from './dialog.tsx';

interface SecretProps {
  readonly title: string;
  readonly secret: string;
  /** What to look at besides. */
  readonly warning?: string | null;
  readonly onClose: () => void;
}

export function Secret({ title, secret, warning = null, onClose }: SecretProps) {
  const [said, setSaid] = useState<string | null>(null);
  const copy = async () => {
    const text = await navigator.clipboard.writeText(secret).then(
      () => S.visible.copied,
      () => S.visible.notCopied,
    );
    setSaid(text);
  };
  return (
    <Dialog title={title} onClose={onClose} stays>
      <p>{S.ui.secretHint}</p>
      <code class="secret" data-secret>
        {secret}
      </code>
      {warning !== null && <p class="state-waiting">{warning}</p>}
      <div class="dialog-buttons">
        <button type="button" onClick={() => void copy()}>
          <span aria-live="polite">{said ?? S.visible.copy}</span>
        </button>
        <button type="button" class="primary" onClick={onClose}>
          {S.ui.secretKept}
        </button>
      </div>
    </Dialog>
  );
}
