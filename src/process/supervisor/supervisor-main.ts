/** The main program of the supervisor. createProcessHost starts it. */
import { createOwnerCgroups, NO_CGROUPS } from '../limits/owner-cgroups.ts';
import { takePrecedence } from '../limits/precedence.ts';
import { sendToDaemon, serveDaemon } from './helper-main.ts';
import { createSupervisor } from './supervisor.ts';

main();

function main(): void {
  takePrecedence();
  const cgroups = process.argv.includes('--no-cgroups') ? NO_CGROUPS : createOwnerCgroups();
  const { receive, endAll } = createSupervisor(sendToDaemon, cgroups);
  serveDaemon('supervisor', { receive, endAll: (problem) => endAll(`killed: ${problem}`) });
}
