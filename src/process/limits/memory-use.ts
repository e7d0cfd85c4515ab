/** Measures the memory that processes use, from /proc; Linux only. */
import { readProc } from '../trace/process-table.ts';

/**
 * Returns the bytes of resident and swapped memory of these processes together. The first sum is cheap to get, but too high
 * if processes share pages. If it is over `limitBytes`, a second sum divides each shared page among the processes that map it.
 * `heldBytes`: what they hold in files in memory (held-memory.ts). It replaces their shared memory where it is more, because
 * such a file may also be mapped.
 */
export function memoryOf(pids: readonly number[], limitBytes: number, heldBytes = 0): number {
  const rough = pids.map(statusOf);
  const withHeld = heldBytes + sumOf(rough.map(({ anonymous, swapped }) => anonymous + swapped));
  const sum = sumOf(rough.map(({ resident, swapped }) => resident + swapped));
  if (sum <= limitBytes) return heldBytes === 0 ? sum : Math.max(sum, withHeld);
  // The rough figure of each process includes all shared memory that it maps. Where the exact figure cannot be read, shared
  // memory is counted once for all of them.
  let shared = 0;
  const exact = pids.map((pid, index) => {
    const proportional = proportionalOf(pid);
    if (proportional !== null) return proportional;
    const { anonymous, swapped, sharedMemory } = rough[index]!;
    shared = Math.max(shared, sharedMemory);
    return anonymous + swapped;
  });
  const mapped = sumOf(exact) + shared;
  return heldBytes === 0 ? mapped : Math.max(mapped, withHeld);
}

/** Figures from /proc/PID/status, which every user can read; zeros for a process that is gone. */
function statusOf(pid: number) {
  const text = readProc(`/proc/${pid}/status`) ?? '';
  return {
    resident: kibibytes(text, 'VmRSS'),
    swapped: kibibytes(text, 'VmSwap'),
    anonymous: kibibytes(text, 'RssAnon'),
    sharedMemory: kibibytes(text, 'RssShmem'),
  };
}

/** Null if it cannot be read: without CAP_SYS_PTRACE for a process of another user, or if the process is gone. */
function proportionalOf(pid: number): number | null {
  const text = readProc(`/proc/${pid}/smaps_rollup`);
  return text === null || text === '' ? null : kibibytes(text, 'Pss') + kibibytes(text, 'SwapPss');
}

/** A field in bytes. */
function kibibytes(text: string, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1] ?? 0) * 1024;
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
