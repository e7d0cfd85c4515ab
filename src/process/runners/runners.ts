/** The one list of runners, the best first. Its names are the words of `bash_isolation`. */
import { namespaceRunner } from './namespace.ts';
import { noneRunner } from './none.ts';
import type { Runner } from './runner.ts';
import { uidRunner } from './uid.ts';

/** Every runner by its name, in the order in which a host's best is chosen; the last one works everywhere. */
export const RUNNERS = {
  namespace: namespaceRunner,
  uid: uidRunner,
  none: noneRunner,
} as const satisfies Readonly<Record<string, Runner>>;

/** The isolation of a command: the name of its runner. docs/hooks.md says what each protects against. */
export type Isolation = keyof typeof RUNNERS;

/** The names, the best first. */
export const ISOLATIONS = Object.keys(RUNNERS) as readonly Isolation[];

/** The runner of a name. */
export function runnerOf(isolation: Isolation): Runner {
  return RUNNERS[isolation];
}
