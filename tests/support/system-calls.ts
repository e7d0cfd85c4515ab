/** Counts what a test's own process asks of the file system. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { onTestFinished } from 'vitest';

type Functions = Record<string, unknown>;

/** The calls of each function of `node:fs` and `node:fs/promises`, by its name, from now until the test has finished. */
export function countSystemCalls(): Map<string, number> {
  const counts = new Map<string, number>();
  const undo = [fs, fs.promises].flatMap((module) => countedIn(module as unknown as Functions, counts));
  syncBuiltinESMExports();
  onTestFinished(() => {
    for (const each of undo) each();
    syncBuiltinESMExports();
  });
  return counts;
}

function countedIn(functions: Functions, counts: Map<string, number>): (() => void)[] {
  return Object.keys(functions).flatMap((name) => {
    const original = functions[name];
    if (typeof original !== 'function' || /^[A-Z_]/.test(name)) return [];
    const counted = function (this: unknown, ...args: unknown[]): unknown {
      counts.set(name, (counts.get(name) ?? 0) + 1);
      return original.apply(this, args);
    };
    Object.assign(counted, original);
    // `realpathSync.native`
    countedIn(counted as unknown as Functions, counts);
    functions[name] = counted;
    return [() => (functions[name] = original)];
  });
}
