/** The supervisor's own process: started by createProcessHost, ends with the daemon at the other end of its channel. */
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
  // A service manager that signals every process of a unit means the daemon, which has a grace time; we go when it has gone.
  for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(name, () => {});
  process.on('disconnect', () => void leave('killed: the daemon is gone', 0));
  process.on('uncaughtException', (error) => {
    process.stderr.write(`${error.stack ?? error.message}\n`);
    void leave('killed: the supervisor failed', 1);
  });
  process.on('message', (message: ToSupervisor) => {
    if (message.type !== 'stop') return supervisor.receive(message);
    // Disconnecting first sends queued messages, so that every run's end is reported; then the handler above exits.
    void supervisor.endAll('killed: the daemon stops').then(() => process.disconnect());
  });
}

function send(message: FromSupervisor): void {
  // Without a daemon there is no receiver; the callback keeps a lost race from being thrown.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}
