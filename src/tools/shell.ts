/** bash: runs a command under the supervisor. */
import { tmpdir } from 'node:os';
import { z } from 'zod';
import { AnimusError } from '../core/errors/errors.ts';
import { findProgram } from '../process/find-program.ts';
import type { CapturedOutput, ProcessResult } from '../process/process-host.ts';
import { type Tool, type ToolContext, type ToolOutput, toolError, worldTool } from './tool.ts';

/** Per stream, so at most 32 KiB in total. */
const MAX_STREAM_BYTES = 16 * 1024;
/** The maximum length of one argument of a program on Linux, in bytes. */
const MAX_COMMAND_CHARS = 131_071;
/** Time reserved for stopping a command (SIGTERM, grace, SIGKILL, report), so that its output arrives within the call's time-out. */
const ENDING_MS = 3000;

const input = z.strictObject({
  command: z
    .string()
    .min(1)
    .max(MAX_COMMAND_CHARS, 'is longer than a command line can be; write a script and run it')
    .describe('Command line for bash -c'),
  timeout_seconds: z
    .number()
    .positive()
    .optional()
    .describe('Time-out in seconds, at most the time-out of the call, which is the default'),
});

export const bashTool = worldTool<z.infer<typeof input>>({
  name: 'bash',
  description:
    'Runs a command with bash -c in the workspace and returns exit code, stdout and stderr (16 KiB each: the beginning and ' +
    'the end of longer output). No terminal, no stdin; nothing keeps running in the background when the call ends. Each ' +
    'call starts afresh: directory and variables are not kept.',
  input,
  kinds: { command: 'command' },
  risk: 'execute',
  idempotent: false,
  async run({ command, timeout_seconds }, context) {
    const path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
    const timeoutMs = timeoutOf(context, timeout_seconds);
    const result = await context.processes.run(
      {
        owner: context.workItemId,
        command: findProgram('bash', path, '/') ?? 'sh',
        args: ['-c', command],
        cwd: context.workspace,
        env: environmentOf(context, path),
        timeoutMs,
        maxOutputBytes: MAX_STREAM_BYTES,
        isolation: context.isolation,
        fileRules: context.fileRules,
      },
      context.signal,
    );
    return report(result, timeoutMs);
  },
});

/** bash. */
export const SHELL_TOOLS: readonly Tool[] = [bashTool];

function timeoutOf(context: ToolContext, seconds: number | undefined): number {
  const bound = Math.max(context.timeoutMs - ENDING_MS, context.timeoutMs / 2);
  return Math.round(Math.min(bound, seconds === undefined ? bound : seconds * 1000));
}

/** Takes only PATH from the daemon's environment, to find the tools. */
function environmentOf(context: ToolContext, path: string): Record<string, string> {
  return {
    PATH: path,
    HOME: context.workspace,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    TMPDIR: tmpdir(),
    ANIMUS_WORK_ID: context.workItemId,
    // git packs a repository with many objects in the background; here that process would be killed half-way with the call.
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'gc.auto',
    GIT_CONFIG_VALUE_0: '0',
    GIT_CONFIG_KEY_1: 'maintenance.auto',
    GIT_CONFIG_VALUE_1: 'false',
  };
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
  const parts = [headline(result, timeoutMs), ...section('stdout', result.stdout), ...section('stderr', result.stderr)];
  const content = parts.join('\n');
  if (ended === 'exit' && exitCode === 0) return { content, details };
  return { ...toolError(content, details), ...(ended === 'interrupted' && { inDoubt: true }) };
}

function headline({ ended, exitCode, signal, problem }: ProcessResult, timeoutMs: number): string {
  const note = problem === null ? '' : ` (${problem})`;
  switch (ended) {
    case 'exit':
      return `exit code ${exitCode}${note}`;
    case 'signal':
      return `killed by ${signal}${note}`;
    case 'timeout':
      return `timed out after ${timeoutMs / 1000} s and was killed together with everything it had started${note}`;
    case 'limit':
      return `stopped: ${problem}. It and everything it had started were killed`;
    case 'interrupted':
      return `interrupted${note}. It may or may not have happened; check before you repeat it.`;
    case 'unavailable':
    case 'aborted':
      return `aborted before it ended, and killed together with everything it had started${note}`;
    case 'not_started':
      return `could not be started${note}`;
    default:
      return ended satisfies never;
  }
}

function section(name: string, output: CapturedOutput): readonly string[] {
  if (output.bytes === 0) return [];
  // Postgres stores no NUL, and models cannot read it, so show its symbol.
  const visible = output.text.replaceAll('\0', '\u2400');
  const text = visible.endsWith('\n') ? visible.slice(0, -1) : visible;
  return [output.truncated ? `${name} (${output.bytes} bytes, the middle left out):` : `${name}:`, text];
}
