/** The list of all runners, best first. Their names are the values of `bash_isolation`. */
import { namespaceRunner } from './namespace.ts';
import { noneRunner } from './none.ts';
import type { Runner } from './runner.ts';
import { uidRunner } from './uid.ts';

/** All runners by name, best first; a host uses the first one that works. The last one works everywhere. */
export const RUNNERS = {
  namespace: namespaceRunner,
  uid: uidRunner,
  none: noneRunner,
} as const satisfies Readonly<Record<string, Runner>>;

/** The isolation of a command: the name of its runner. docs/hooks.md explains what each one protects against. */
export type Isolation = keyof typeof RUNNERS;

/** All names, best first. */
export const ISOLATIONS = Object.keys(RUNNERS) as readonly Isolation[];

/** Returns the runner with this name. */
export function runnerOf(isolation: Isolation): Runner {
  return RUNNERS[isolation];
}
