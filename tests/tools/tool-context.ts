/** A context for tools under test, in a separate workspace that is removed afterwards. */
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { UNLEASED } from '../../src/core/lifecycle/lease.ts';
import { createProcessHost } from '../../src/process/host/supervised-host.ts';
import { createSeenFiles } from '../../src/tools/files/seen-files.ts';
import { createBackgroundCommands } from '../../src/tools/shell/background-commands.ts';
import type { Tool, ToolContext, ToolOutput } from '../../src/tools/tool.ts';

/** `outside` is a directory next to the workspace. */
export interface Bench {
  readonly context: ToolContext;
  readonly workspace: string;
  readonly outside: string;
  /** HOME of commands. */
  readonly home: string;
  /** Parses the input as the engine does and runs the tool. */
  call(tool: Tool, input: object): Promise<ToolOutput>;
  /** The same in another turn than the first. */
  callIn(turn: number, tool: Tool, input: object): Promise<ToolOutput>;
}

export async function setUpBench(overrides: Partial<ToolContext> = {}): Promise<Bench> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'animus-tools-')));
  const [workspace, outside] = [await mkdtemp(join(root, 'workspace-')), await mkdtemp(join(root, 'outside-'))];
  const home = await mkdtemp(join(root, 'home-'));
  const processes = createProcessHost({ graceMs: 200 });
  const background = createBackgroundCommands();
  onTestFinished(async () => {
    await background.close();
    await processes.stop();
    await rm(root, { recursive: true, force: true });
  });
  const homeOf = async () => ({ directory: home, caches: {} });
  const context = { ...contextIn(workspace, { processes, background, home: homeOf }), ...overrides };
  return {
    context,
    workspace,
    outside,
    home,
    call: (tool, input) => callWorldTool(tool, input, context),
    callIn: (turn, tool, input) => callWorldTool(tool, input, { ...context, turn }),
  };
}

/** A context for tools in a workspace. */
export function contextIn(
  workspace: string,
  host: Pick<ToolContext, 'processes' | 'background' | 'home'>,
): ToolContext {
  return {
    workItemId: 'work-1',
    leaseToken: 'lease-1',
    focusId: 'focus-1',
    faculty: 'engineer',
    turn: 1,
    callId: 'call-1',
    workspace,
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    ...host,
    lease: UNLEASED,
    isolation: 'none',
    fileRules: [],
    seenFiles: createSeenFiles(async () => []),
  };
}

/** Parses the input as the engine does and runs the tool. */
export async function callWorldTool(tool: Tool, input: object, context: ToolContext): Promise<ToolOutput> {
  if (tool.kind !== 'world') throw new Error(`${tool.name} is not a world tool`);
  return tool.run(tool.input.parse(input), context);
}
