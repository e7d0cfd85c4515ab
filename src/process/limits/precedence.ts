/** The supervisor's precedence over what it supervises: a bomb that takes every processor must not keep it from being seen. */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';

const PRECEDENT = -15;
let precedes = false;

/** Raises this process above ordinary ones, where that is permitted (a daemon that is root, mostly). */
export function takePrecedence(): void {
  if (process.platform !== 'linux') return;
  precedes = trySetPriority(PRECEDENT);
  if (!precedes) return;
  try {
    // Where the kernel weighs sessions before processes; a child gets a session, and with it a weight, of its own.
    writeFileSync('/proc/self/autogroup', String(PRECEDENT));
  } catch {
    // It does not.
  }
}

/** Starts something that is not to inherit the precedence. */
export function atOrdinaryPriority<Result>(start: () => Result): Result {
  if (!precedes) return start();
  trySetPriority(0);
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
