/** Tests which isolations work on this host. */
import { ISOLATIONS, type Isolation, runnerOf } from './runners/runners.ts';

/** The best isolation that works on a host, and why the others do not. */
export interface IsolationReport {
  readonly best: Isolation;
  /** Why the other isolations are not available. */
  readonly missing: Readonly<Partial<Record<Isolation, string>>>;
}

const tried = new Map<Isolation, Promise<string | null>>();

/**
 * Tries every runner once per process and returns the best one that works. `home` is ANIMUS_HOME: if it is given, the
 * runner must also be able to reach the focus directories below it.
 */
export async function examineIsolation(home?: string): Promise<IsolationReport> {
  const missing: Partial<Record<Isolation, string>> = {};
  for (const isolation of ISOLATIONS) {
    const why = (await tryOnce(isolation)) ?? (home === undefined ? null : runnerOf(isolation).homeProblem(home));
    if (why !== null) missing[isolation] = why;
  }
  return { best: ISOLATIONS.find((isolation) => missing[isolation] === undefined) ?? 'none', missing };
}

/** Returns only the best isolation of `examineIsolation`. */
export async function detectIsolation(home?: string): Promise<Isolation> {
  return (await examineIsolation(home)).best;
}

/** Describes what an isolation protects and what it does not. The text completes the sentence "commands run …". */
export function describeIsolation(isolation: Isolation): string {
  const { apart, hides, leaves } = runnerOf(isolation).words;
  return `${apart}: ${hides}; ${leaves}`;
}

/** True if commands run as the owner of their working directory. That user must be able to enter the directory. */
export function runsAsOwner(isolation: Isolation): boolean {
  return runnerOf(isolation).runsAsOwner;
}

/** Explains why commands cannot start in this directory under an isolation; null if they can. */
export function placeProblem(isolation: Isolation, directory: string): string | null {
  return runnerOf(isolation).placeProblem(directory);
}

function tryOnce(isolation: Isolation): Promise<string | null> {
  const trying = tried.get(isolation) ?? runnerOf(isolation).examine();
  tried.set(isolation, trying);
  return trying;
}
