/**
 * The supervisor's priority over its runs: a fork bomb that uses every processor must not stop the supervisor from detecting
 * it.
 */
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const PRECEDENT = -20;
/** What it was before, and what its children get; null while it has no precedence. */
let ordinary: number | null = null;

/** Raises this process above ordinary ones, where that is permitted (a daemon that is root, mostly). */
export function takePrecedence(): void {
  if (process.platform !== 'linux') return;
  const before = getPriority();
  if (!trySetPriority(PRECEDENT)) return;
  ordinary = before;
  try {
    // Where the kernel weighs sessions before processes; a child gets a session, and with it a weight, of its own.
    writeFileSync('/proc/self/autogroup', String(PRECEDENT));
  } catch {
    // It does not.
  }
}

/** Starts a process that must not inherit the precedence. */
export function atOrdinaryPriority<Result>(start: () => Result): Result {
  if (ordinary === null) return start();
  trySetPriority(ordinary);
  try {
    return start();
  } finally {
    trySetPriority(PRECEDENT);
  }
}

function trySetPriority(priority: number): boolean {
  try {
    setPriority(priority);
    return true;
  } catch {
    return false;
  }
}
