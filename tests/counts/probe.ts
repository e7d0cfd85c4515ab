// Given to a process by --import: counts its calls of node:fs, and answers the messages `read` and `collect` of its parent with what it has
// counted; `collect` collects garbage first (--expose-gc), so that the growth of the heap is what was allocated since.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';

type GcEntry = PerformanceEntry & { readonly detail: { readonly flags: number } };
type Call = (this: unknown, ...args: unknown[]) => unknown;

let fileCalls = 0;
for (const module of [fs, fs.promises] as unknown as Record<string, Call>[]) {
  for (const [name, original] of Object.entries(module)) {
    if (typeof original !== 'function' || /^[A-Z]|^create|^watch|^_/.test(name)) continue;
    const counted: Call = function (...args) {
      fileCalls++;
      return original.apply(this, args);
    };
    Object.defineProperties(counted, Object.getOwnPropertyDescriptors(original));
    module[name] = counted;
  }
}
syncBuiltinESMExports();

let collections = 0;
const count = (entries: readonly PerformanceEntry[]) => {
  const unforced = (entry: PerformanceEntry) =>
    ((entry as GcEntry).detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) === 0;
  collections += entries.filter(unforced).length;
};
const observer = new PerformanceObserver((list) => count(list.getEntries()));
observer.observe({ entryTypes: ['gc'] });

process.on('message', (message) => {
  if (message !== 'read' && message !== 'collect') return;
  if (message === 'collect') globalThis.gc!();
  count(observer.takeRecords());
  process.send!({ fileCalls, allocatedKB: process.memoryUsage().heapUsed / 1024, collections });
});
