/** The supervisor's end of the pipe to the start gate of a run. */
import type { ChildProcess } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { messageOf } from '../../core/errors/errors.ts';
import type { PlaceEntry } from '../runners/place.ts';
import { GO, READY } from '../runners/start-gate.ts';
import { readProcess } from '../trace/process-table.ts';

/** The pipe of a process that was started behind a gate. A broken one means that the run has ended. */
export function gateOf(child: ChildProcess): Duplex {
  const pipe = child.stdio[3] as Duplex;
  if (pipe.listenerCount('error') === 0) pipe.on('error', () => {});
  return pipe;
}

/** Tells the process where the place is that it enters, or why it is nowhere. Never rejects. */
export async function tellPlace(child: ChildProcess, place: PlaceEntry): Promise<void> {
  const pipe = gateOf(child);
  await place.namespaces.then(
    (where) => pipe.write(`${where}\n`),
    (error: unknown) => pipe.write(`${messageOf(error).replaceAll('\n', ' ')}\n`),
  );
}

/**
 * Lets the command start once it waits at its gate, which means that its parent-death signals are armed, and calls `passed`. The leader must be alive at
 * that moment; if it was killed before, the gate never opens.
 */
export function openGate(child: ChildProcess, passed: () => void): { opened(): boolean } {
  const pipe = gateOf(child);
  let opened = false;
  const look = (chunk: Buffer): void => {
    if (!chunk.includes(READY)) return;
    pipe.off('data', look);
    opened = process.platform !== 'linux' || readProcess(child.pid!)?.dead === false;
    if (!opened) return void pipe.destroy();
    pipe.write(GO);
    passed();
  };
  pipe.on('data', look);
  return { opened: () => opened };
}
