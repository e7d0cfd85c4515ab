/** Whether a faculty starts processes at all, and where. */
import type { Faculty } from './faculty.ts';
import { NO_LOOP_HOOKS } from './loop-hooks.ts';
import { modeOf } from './modes.ts';

/** True for a faculty that runs commands: `bash`, hooks, or a command in place of a model. */
export function runsCommands(faculty: Faculty): boolean {
  return faculty.engage.tools.includes('bash') || runsHooks(faculty);
}

/** True for a faculty that starts processes on the host, not only commands of `bash` in a container. */
export function startsOnHost(faculty: Faculty): boolean {
  const { bashContainer, mcp = [] } = faculty;
  return (bashContainer ? runsHooks(faculty) : runsCommands(faculty)) || mcp.some(({ command }) => command !== null);
}

function runsHooks({ engage, orient, consolidate, recover, hooks = NO_LOOP_HOOKS }: Faculty): boolean {
  return (
    modeOf(engage.mode).needs === 'command' ||
    orient !== null ||
    consolidate !== null ||
    recover.hook !== null ||
    Object.values(hooks).some((ofEvent) => ofEvent.length > 0)
  );
}
