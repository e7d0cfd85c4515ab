/** Starts a command of bash in the background. */
import { createHash } from 'node:crypto';
import { AnimusError } from '../../core/errors/errors.ts';
import { type ToolContext, type ToolOutput, toolError } from '../tool.ts';
import { endOrTime } from './background-command.ts';
import { MAX_RUNNING } from './background-commands.ts';
import { commandSpec } from './command.ts';
import { commandOutput } from './job-output.ts';

/** A command that fails at once is reported with the result of its start. */
const FIRST_LOOK_MS = 500;

/** Starts it and returns its id, or how it ended if it ended at once. `timeoutSeconds`: null for no time-out. */
export async function startInBackground(
  command: string,
  timeoutSeconds: number | null,
  context: ToolContext,
): Promise<ToolOutput> {
  const { background, container, processes } = context;
  const running = background.running();
  if (running.length >= MAX_RUNNING) {
    const ids = running.map(({ id }) => id).join(', ');
    const many = `${MAX_RUNNING} commands are running in the background, which is the maximum`;
    return toolError(`${many}: ${ids}. Stop one first`);
  }
  const id = idOf(context);
  const spec = await commandSpec(command, context);
  const started = background.start({
    id,
    command,
    spec,
    timeoutMs: Math.round((timeoutSeconds ?? 0) * 1000),
    processes: container ?? processes,
  });
  await endOrTime(started, FIRST_LOOK_MS, context.signal);
  const end = started.end();
  if (end?.ended === 'unavailable')
    throw new AnimusError('process.interrupted', { command: 'bash', detail: end.problem });
  return commandOutput(started, 'runs in the background', context);
}

/** From the call, so it is not used again in this focus, whichever process runs it. */
function idOf({ turn, callId }: ToolContext): string {
  return `bg_${createHash('sha256').update(`${turn} ${callId}`).digest('hex').slice(0, 6)}`;
}
