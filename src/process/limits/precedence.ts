/**
 * The supervisor's priority over its runs. With it, the supervisor still gets processor time to detect a fork bomb that uses
 * every processor.
 */
import { writeFileSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

const PRECEDENT = -20;
/** The previous priority, which its children get; null while the priority is not raised. */
let ordinary: number | null = null;

/** Raises the priority of this process if that is permitted (usually only for root). */
export function takePrecedence(): void {
  if (process.platform !== 'linux') return;
  const before = getPriority();
  if (!trySetPriority(PRECEDENT)) return;
  ordinary = before;
  try {
    // With autogrouping, the kernel schedules sessions rather than processes. Each child has its own session and weight.
    writeFileSync('/proc/self/autogroup', String(PRECEDENT));
  } catch {
    // The kernel has no autogrouping.
  }
}

/** Calls `start` at the previous priority, so that the process it starts does not inherit the raised one. */
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
