/** bash: runs a command under the supervisor. */
import { z } from 'zod';
import { AnimusError } from '../core/errors/errors.ts';
import type { ProcessResult } from '../process/process-host.ts';
import { bashJobTool } from './shell/bash-job.ts';
import { commandSpec } from './shell/command.ts';
import { headline, MAX_STREAM_BYTES, sections } from './shell/command-report.ts';
import { startInBackground } from './shell/start-in-background.ts';
import {
  type Tool,
  type ToolContext,
  type ToolOutput,
  toolError,
  usableMs,
  type WorldTool,
  worldTool,
} from './tool.ts';

/** The maximum length of one argument of a program on Linux, in bytes. */
const MAX_COMMAND_CHARS = 131_071;
/** Time reserved for stopping a command (SIGTERM, grace, SIGKILL, report), so that its output arrives within the call's time-out. */
const ENDING_MS = 3000;
/** Of a stream, for code: both together, written as JSON, fit into one result. */
const SHARE_OF_STREAM = 7 / 16;

const command = z
  .string()
  .min(1)
  .max(MAX_COMMAND_CHARS, 'is longer than a command line can be; write a script and run it')
  .describe('Command line for bash -c');

const input = z.strictObject({
  command,
  timeout_seconds: z.number().positive().optional().describe('At most the time-out of the call, which is the default'),
});

const RUNS =
  'Runs a command with bash -c in the workspace; returns exit code, stdout and stderr (16 KiB each: beginning and end of ' +
  'longer output). No terminal, no stdin. No directory, variable or process is kept for the next call';

export const bashTool = worldTool<z.infer<typeof input>>({
  name: 'bash',
  description: `${RUNS}.`,
  words: { timeout_seconds: 'at most that of the call, the default' },
  input,
  kinds: { command: 'command' },
  risk: 'execute',
  idempotent: false,
  run: runCommand,
});

const inputWithJobs = z.strictObject({
  command,
  timeout_seconds: z
    .number()
    .positive()
    .max(604_800)
    .optional()
    .describe('Time-out in seconds; without background, at most the time-out of the call, which is the default'),
  background: z
    .boolean()
    .optional()
    .describe(
      'Start it and return its id at once; use bash_job with it. It ends with the work, or when the work waits (default false)',
    ),
});

/** bash for faculties that list bash_job, too. The others pay no tokens for what they do not use. */
const bashWithJobsTool: WorldTool<z.infer<typeof inputWithJobs>> = {
  // Permissions must judge both alike.
  ...bashTool,
  notFromCode: ({ background = false }) =>
    background ? 'bash starts nothing in the background from code. Call it directly, outside of code.' : null,
  description: `${RUNS}, but what was started with background.`,
  words: {
    timeout_seconds: 'without background at most that of the call, the default',
    background:
      'starts it and returns its id at once; use bash_job with it. It ends with the work, or when the work waits',
  },
  input: inputWithJobs,
  run: ({ background = false, ...rest }, context) =>
    background ? startInBackground(rest.command, rest.timeout_seconds ?? null, context) : runCommand(rest, context),
};

/** bash and bash_job. */
export const SHELL_TOOLS: readonly Tool[] = [bashTool, bashJobTool];

/** With bash_job among them, bash can start commands in the background. */
export function withJobs(tools: readonly Tool[]): readonly Tool[] {
  return tools.includes(bashJobTool) ? tools.map((tool) => (tool === bashTool ? bashWithJobsTool : tool)) : tools;
}

async function runCommand(
  { command: line, timeout_seconds }: z.infer<typeof input>,
  context: ToolContext,
): Promise<ToolOutput> {
  const timeoutMs = timeoutOf(context, timeout_seconds);
  const { codeBytes } = context;
  const maxOutputBytes = codeBytes === undefined ? MAX_STREAM_BYTES : Math.floor(codeBytes * SHARE_OF_STREAM);
  const spec = { ...(await commandSpec(line, context)), timeoutMs, maxOutputBytes };
  return report(await (context.container ?? context.processes).run(spec, context.signal), timeoutMs);
}

function timeoutOf(context: ToolContext, seconds: number | undefined): number {
  return Math.round(Math.min(usableMs(context, ENDING_MS), seconds === undefined ? Infinity : seconds * 1000));
}

function report(result: ProcessResult, timeoutMs: number): ToolOutput {
  const { ended, exitCode, signal, durationMs } = result;
  if (ended === 'unavailable')
    throw new AnimusError('process.interrupted', { command: 'bash', detail: result.problem });
  const details = {
    ended,
    exitCode,
    signal,
    durationMs: Math.round(durationMs),
    stdoutBytes: result.stdout.bytes,
    stderrBytes: result.stderr.bytes,
  };
  const content = [headline(result, timeoutMs), ...sections(result)].join('\n');
  const data = () => ({
    exit_code: exitCode,
    stdout: result.stdout.text,
    stderr: result.stderr.text,
    ended,
    signal,
    duration_ms: details.durationMs,
  });
  if (ended === 'exit' && exitCode === 0) return { content, details, data };
  return { ...toolError(content, details), data, ...(ended === 'interrupted' && { inDoubt: true }) };
}
