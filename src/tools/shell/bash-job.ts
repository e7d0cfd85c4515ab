/** bash_job: looks at a command that bash runs in the background, waits for it, or stops it. */
import { z } from 'zod';
import { toolError, usableMs, worldTool } from '../tool.ts';
import { endOrTime } from './background-command.ts';
import { commandList, commandOutput } from './job-output.ts';

const input = z.strictObject({
  id: z.string().max(100).optional().describe('of the command; without it, all commands are listed'),
  wait_seconds: z.number().min(0).max(86_400).optional().describe('for its end; at most the time-out of the call'),
  stop: z.boolean().optional().describe('stop it with everything it started (default false)'),
});

export const bashJobTool = worldTool<z.infer<typeof input>>({
  name: 'bash_job',
  description:
    'Returns whether a background command of bash is running or how it ended, and what it has printed since the last look ' +
    '(16 KiB per stream: the beginning and the end of more).',
  input,
  // Not `read`: a look takes the output, which must not happen before its answer is recorded. It reaches nothing but what bash started.
  risk: 'write',
  idempotent: true,
  notFromCode: () => 'bash_job looks after commands of this work, and code cannot. Call it directly, outside of code.',
  async run({ id, wait_seconds = 0, stop = false }, context) {
    const { background, signal } = context;
    if (id === undefined) return { content: commandList(background.all()) };
    const command = background.all().find((each) => each.id === id);
    if (command === undefined)
      return toolError(`there is no background command ${JSON.stringify(id)}. ${commandList(background.all())}`);
    if (stop) await command.stop();
    else if (wait_seconds > 0) await endOrTime(command, Math.min(wait_seconds * 1000, usableMs(context)), signal);
    return commandOutput(command, 'is running', context);
  },
});
