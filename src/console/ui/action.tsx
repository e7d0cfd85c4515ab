/** A button that changes something: it waits for the answer, and says what happened. */
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { sentenceOf } from '../model/api.ts';
import { tell, tellProblem } from './notices.tsx';

interface ActionProps {
  /** Rejects with what went wrong, which the person is told. */
  readonly act: () => Promise<unknown>;
  /** What is said afterwards; default: nothing, where the page shows it. */
  readonly done?: string;
  /** Called after the act, whether or not it failed: what the page shows may be out of date. */
  readonly after?: () => void;
  readonly kind?: 'primary' | 'danger' | 'quiet';
  readonly children: ComponentChildren;
}

export function Action({ act, done, after, kind, children }: ActionProps) {
  const [busy, setBusy] = useState(false);
  const run = async () => {
    if (busy) return;
    setBusy(true);
    try {
      await act();
      if (done !== undefined) tell(done);
    } catch (error) {
      tellProblem(sentenceOf(error));
    }
    setBusy(false);
    after?.();
  };
  return (
    // Not «disabled», which would take the focus from it.
    <button type="button" class={kind} aria-disabled={busy} aria-busy={busy} onClick={() => void run()}>
      {children}
    </button>
  );
}
