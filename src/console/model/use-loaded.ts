/** Reads something for a component, and reads it again when it may have changed. */
import { useSignalEffect } from '@preact/signals';
import { useEffect, useRef, useState } from 'preact/hooks';
import { sentenceOf } from './api.ts';
import { changes } from './live.ts';

export interface Loaded<Value> {
  /** What was read last; it stays while it is read again, and after a failure. */
  readonly value: Value | undefined;
  /** Why it could not be read the last time. */
  readonly problem: string | null;
  readonly loading: boolean;
  reload(): void;
}

export interface LoadOptions {
  /** Again after so long, while the page is visible; default: not. */
  readonly everyMs?: number;
  /** Again after changes of any work (`useLiveStates`); default false. */
  readonly live?: boolean;
}

/** `load` is called again when one of `inputs` changes; what an earlier call returns later is not shown. */
export function useLoaded<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  inputs: readonly unknown[],
  { everyMs, live = false }: LoadOptions = {},
): Loaded<Value> {
  const [state, setState] = useState<Omit<Loaded<Value>, 'reload'>>({ value: undefined, problem: null, loading: true });
  const [round, setRound] = useState(0);
  const reload = () => setRound((before) => before + 1);
  const run = useRef({ busy: false, due: false });
  /** A read that takes long is not begun again and again, and a hidden page reads when it is shown. */
  const refresh = () => {
    if (run.current.busy || document.visibilityState !== 'visible') run.current.due = true;
    else reload();
  };
  const key = JSON.stringify(inputs);
  const shownKey = useRef(key);

  useEffect(() => {
    const stop = new AbortController();
    const now = { busy: true, due: false };
    run.current = now;
    const settle = (next: (before: Omit<Loaded<Value>, 'reload'>) => Omit<Loaded<Value>, 'reload'>) => {
      if (stop.signal.aborted) return;
      now.busy = false;
      setState(next);
      if (now.due) refresh();
    };
    const isOther = shownKey.current !== key;
    shownKey.current = key;
    setState((before) => ({ ...before, ...(isOther && { problem: null }), loading: true }));
    load(stop.signal).then(
      (value) => settle(() => ({ value, problem: null, loading: false })),
      (error: unknown) => settle((before) => ({ ...before, problem: sentenceOf(error), loading: false })),
    );
    return () => stop.abort();
  }, [key, round]);

  useEffect(() => {
    if (everyMs === undefined) return undefined;
    const timer = setInterval(refresh, everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);

  useEffect(() => {
    const shown = () => run.current.due && !run.current.busy && refresh();
    document.addEventListener('visibilitychange', shown);
    return () => document.removeEventListener('visibilitychange', shown);
  }, []);

  const seen = useRef(changes.peek());
  useSignalEffect(() => {
    if (!live || changes.value === seen.current) return;
    seen.current = changes.value;
    refresh();
  });
  return { ...state, reload };
}
