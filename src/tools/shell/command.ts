/** How a command line of an agent is started: by bash, in the workspace, with an environment of its own. */
import { tmpdir } from 'node:os';
import { findProgram } from '../../process/find-program.ts';
import type { CommandSpec } from '../../process/process-host.ts';
import type { CommandHome, ToolContext } from '../tool.ts';

/** The process of a command line; the same in the foreground and in the background. */
export async function commandSpec(command: string, context: ToolContext): Promise<CommandSpec> {
  const home = await context.home();
  const path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin';
  const here = context.container === undefined;
  return {
    owner: context.workItemId,
    // A container looks for it in its image, and takes `sh` if the image has no bash.
    command: here ? (findProgram('bash', path, '/') ?? 'sh') : 'bash',
    args: ['-c', command],
    cwd: context.workspace,
    // Of the daemon's environment only PATH, to find the tools. In a container, PATH is that of the image.
    env: { ...(here && { PATH: path, TMPDIR: tmpdir() }), ...environmentOf(context, home) },
    isolation: context.isolation,
    fileRules: context.fileRules,
  };
}

function environmentOf(context: ToolContext, home: CommandHome): Record<string, string> {
  return {
    ...home.caches,
    HOME: home.directory,
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    ANIMUS_WORK_ID: context.workItemId,
    // git packs a repository with many objects in the background; here that process would be killed half-way with the call.
    GIT_CONFIG_COUNT: '2',
    GIT_CONFIG_KEY_0: 'gc.auto',
    GIT_CONFIG_VALUE_0: '0',
    GIT_CONFIG_KEY_1: 'maintenance.auto',
    GIT_CONFIG_VALUE_1: 'false',
  };
}
