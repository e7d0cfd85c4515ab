/** How much memory processes use, according to /proc; Linux only. */
import { readProc } from '../trace/process-table.ts';

/**
 * Bytes of resident and swapped memory that these processes hold together. Cheap and too high where they share pages; so
 * what would be over `limitBytes` is counted again, each shared page in the parts of those that map it.
 */
export function memoryOf(pids: readonly number[], limitBytes: number): number {
  const rough = pids.map(statusOf);
  const sum = sumOf(rough.map(({ resident, swapped }) => resident + swapped));
  if (sum <= limitBytes) return sum;
  // Shared memory that several of them map is in each one's figures: where the exact ones are closed to us, it counts once.
  let shared = 0;
  const exact = pids.map((pid, index) => {
    const proportional = proportionalOf(pid);
    if (proportional !== null) return proportional;
    const { anonymous, swapped, sharedMemory } = rough[index]!;
    shared = Math.max(shared, sharedMemory);
    return anonymous + swapped;
  });
  return sumOf(exact) + shared;
}

/** From /proc/PID/status, which everybody may read; zeros for a process that is gone. */
function statusOf(pid: number) {
  const text = readProc(`/proc/${pid}/status`) ?? '';
  return {
    resident: kibibytes(text, 'VmRSS'),
    swapped: kibibytes(text, 'VmSwap'),
    anonymous: kibibytes(text, 'RssAnon'),
    sharedMemory: kibibytes(text, 'RssShmem'),
  };
}

/** Null where it may not be read: of another user's process without CAP_SYS_PTRACE, and of one that is gone. */
function proportionalOf(pid: number): number | null {
  const text = readProc(`/proc/${pid}/smaps_rollup`);
  return text === null || text === '' ? null : kibibytes(text, 'Pss') + kibibytes(text, 'SwapPss');
}

/** In bytes. */
function kibibytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
