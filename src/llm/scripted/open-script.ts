import { statSync } from 'node:fs';
import { messageOf } from '../../core/errors/errors.ts';
import { loadScript, type Script } from './script.ts';

/**
 * Reads a script now, and gives its newest version at each call: the file is read again when it has changed. While it is broken or missing,
 * its last good version stays, and `onBroken` is called once for each such change. Errors, of the first reading only: those of `loadScript`.
 */
export function openScript(file: string, onBroken: (message: string) => void = () => {}): () => Script {
  // Before the file is read: a change while it is being read is then seen at the next call.
  let seen = stateOf(file);
  let script = loadScript(file);
  return () => {
    const state = stateOf(file);
    if (state === seen) return script;
    seen = state;
    try {
      script = loadScript(file);
    } catch (error) {
      onBroken(messageOf(error));
    }
    return script;
  };
}

/** Differs after each change; null: the file cannot be looked at, and reading it says why. */
function stateOf(file: string): string | null {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = statSync(file, { bigint: true });
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  } catch {
    return null;
  }
}
