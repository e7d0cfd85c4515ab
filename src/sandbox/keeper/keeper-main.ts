/** The main program of the keeper. createContainerHost starts it, and it ends when the daemon closes its IPC channel. */
import { isAnimusError } from '../../core/errors/errors.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import type { FromKeeper, ToKeeper } from './keeper-protocol.ts';
import { createRefusingKeeper } from './refusing-keeper.ts';

main();

function main(): void {
  let keeper: Keeper | null = null;
  const leave = async (problem: string, code: number): Promise<void> => {
    await keeper?.endAll(problem);
    process.exit(code);
  };
  // Ignore these signals. If a service manager signals every process of a unit, the daemon gets its grace time, and the
  // keeper exits after the daemon.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
  process.on('disconnect', () => void leave('the daemon is gone', 0));
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    void leave('the keeper failed', 1);
  });
  process.on('message', (message: ToKeeper) => {
    if (message.type === 'open') keeper = open(message);
    // `disconnect` sends all queued messages first, so that every end is reported. Then the handler above exits.
    else if (message.type === 'stop') void keeper?.endAll('the daemon stops').then(() => process.disconnect());
    else keeper?.receive(message);
  });
}

function open(message: Extract<ToKeeper, { type: 'open' }>): Keeper {
  try {
    return createKeeper(message, send);
  } catch (error) {
    if (!isAnimusError(error)) throw error;
    return createRefusingKeeper(error, message.address.text, send);
  }
}

function send(message: FromKeeper): void {
  // The daemon may disconnect between the check and the send; with a callback, `send` does not throw then.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
