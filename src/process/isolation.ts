/** Finds out by trying how far this host can isolate commands. */
import { ISOLATIONS, type Isolation, runnerOf } from './runners/runners.ts';

/** The best isolation of a host, and why better ones are missing. */
export interface IsolationReport {
  readonly best: Isolation;
  /** Why the other isolations are not available. */
  readonly missing: Readonly<Partial<Record<Isolation, string>>>;
}

const tried = new Map<Isolation, Promise<string | null>>();

/**
 * Tries every runner, each once per process, and names the best that works. `home` is ANIMUS_HOME: a runner may have to
 * get through to the focus directories below it; without it that is not checked.
 */
export async function examineIsolation(home?: string): Promise<IsolationReport> {
  const missing: Partial<Record<Isolation, string>> = {};
  for (const isolation of ISOLATIONS) {
    const why = (await tryOnce(isolation)) ?? (home === undefined ? null : runnerOf(isolation).homeProblem(home));
    if (why !== null) missing[isolation] = why;
  }
  return { best: ISOLATIONS.find((isolation) => missing[isolation] === undefined) ?? 'none', missing };
}

/** Returns only the best of `examineIsolation`. */
export async function detectIsolation(home?: string): Promise<Isolation> {
  return (await examineIsolation(home)).best;
}

/** Describes what an isolation protects and what it does not; completes «commands run …». */
export function describeIsolation(isolation: Isolation): string {
  const { apart, hides, leaves } = runnerOf(isolation).words;
  return `${apart}: ${hides}; ${leaves}`;
}

/** True where commands run as the owner of the directory they start in, so that this user must be able to enter it. */
export function runsAsOwner(isolation: Isolation): boolean {
  return runnerOf(isolation).runsAsOwner;
}

/** Why commands cannot start in this directory under an isolation, else null. */
export function placeProblem(isolation: Isolation, directory: string): string | null {
  return runnerOf(isolation).placeProblem(directory);
}

function tryOnce(isolation: Isolation): Promise<string | null> {
  const trying = tried.get(isolation) ?? runnerOf(isolation).examine();
  tried.set(isolation, trying);
  return trying;
}
