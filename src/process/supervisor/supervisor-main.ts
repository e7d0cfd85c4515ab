/** The main program of the supervisor. createProcessHost starts it, and it ends when the daemon closes its IPC channel. */
import { createOwnerCgroups, NO_CGROUPS } from '../limits/owner-cgroups.ts';
import { takePrecedence } from '../limits/precedence.ts';
import { createSupervisor } from './supervisor.ts';
import type { FromSupervisor, ToSupervisor } from './supervisor-protocol.ts';

main();

function main(): void {
  takePrecedence();
  const supervisor = createSupervisor(send, process.argv.includes('--no-cgroups') ? NO_CGROUPS : createOwnerCgroups());
  const leave = async (problem: string, code: number): Promise<void> => {
    await supervisor.endAll(problem);
    process.exit(code);
  };
  // Ignore these signals. If a service manager signals every process of a unit, the daemon gets its grace time, and the
  // supervisor exits after the daemon.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
  process.on('disconnect', () => void leave('killed: the daemon is gone', 0));
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    void leave('killed: the supervisor failed', 1);
  });
  process.on('message', (message: ToSupervisor) => {
    if (message.type !== 'stop') return supervisor.receive(message);
    // `disconnect` sends all queued messages first, so that every run's end is reported. Then the handler above exits.
    void supervisor.endAll('killed: the daemon stops').then(() => process.disconnect());
  });
}

function send(message: FromSupervisor): void {
  // The daemon may disconnect between the check and the send; with a callback, `send` does not throw then.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
