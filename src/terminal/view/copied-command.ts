/** Commands that are printed for a person to copy. */
import type { Environment } from '../../core/config/source/environment.ts';

/** How animus was called, for commands that are printed to be copied: `npx animus` where npx did it, otherwise `animus`. */
export function calledAs(env: Environment): string {
  return env['npm_command'] === 'exec' ? 'npx animus' : 'animus';
}

/** A text as one word of a shell: quoted where a shell would read more than a word. */
export function shellWord(value: string | number): string {
  const text = String(value);
  return /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
