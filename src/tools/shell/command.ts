/** How a command line of an agent is started: by bash, in the workspace, with an environment of its own. */
import { tmpdir } from 'node:os';
import { findProgram } from '../../process/find-program.ts';
import type { CommandSpec } from '../../process/process-host.ts';
import type { ToolContext } from '../tool.ts';

/** The process of a command line; the same in the foreground and in the background. */
export function commandSpec(command: string, context: ToolContext): CommandSpec {
  const path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  return {
    owner: context.workItemId,
    command: findProgram('bash', path, '/') ?? 'sh',
    args: ['-c', command],
    cwd: context.workspace,
    env: environmentOf(context, path),
    isolation: context.isolation,
    fileRules: context.fileRules,
  };
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
