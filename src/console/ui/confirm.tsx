/** Asks before something is done that is hard to take back; says first what it affects, if that has to be found out. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { sentenceOf } from '../model/api.ts';
import { S } from '../words/strings.ts';
import { Dialog } from './dialog.tsx';
import { tell } from './notices.tsx';
import { Problem } from './problem.tsx';

interface ConfirmProps {
  readonly title: string;
  /** Finds out what it affects, such as how many items. Nothing can be confirmed before it is shown, nor if it is null: then there is nothing to do. */
  readonly first?: (signal: AbortSignal) => Promise<{ readonly shown: ComponentChildren; readonly any: boolean }>;
  /** Does it, and returns what is said afterwards. What it rejects with is shown, and the dialog stays. */
  readonly act: () => Promise<string>;
  /** On the button that does it. */
  readonly label: string;
  readonly kind?: 'primary' | 'danger';
  /** Called after the act, and when nothing was done. */
  readonly onClose: (isDone: boolean) => void;
  readonly children?: ComponentChildren;
}

export function Confirm({ title, first, act, label, kind = 'primary', onClose, children }: ConfirmProps) {
  const [found, setFound] = useState<{ readonly shown: ComponentChildren; readonly any: boolean } | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    first?.(stop.signal).then(
      (it) => !stop.signal.aborted && setFound(it),
      (error: unknown) => !stop.signal.aborted && setProblem(sentenceOf(error)),
    );
    return () => stop.abort();
  }, []);
  const run = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setProblem(null);
    try {
      tell(await act());
    } catch (error) {
      setProblem(sentenceOf(error));
      return setBusy(false);
    }
    onClose(true);
  };
  const isReady = first === undefined || found?.any === true;
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <form onSubmit={(event) => void run(event)}>
        {first !== undefined &&
          (found === null ? problem === null && <p class="faint">{`${S.ui.counting} …`}</p> : found.shown)}
        {children}
        {problem !== null && <Problem text={problem} />}
        <div class="dialog-buttons">
          <button type="button" onClick={() => onClose(false)}>
            {S.ui.leave}
          </button>
          <button type="submit" class={kind} disabled={!isReady} aria-disabled={busy} aria-busy={busy}>
            {label}
          </button>
        </div>
      </form>
    </Dialog>
  );
}
