import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { sdkSource } from '../../../src/sandbox/sdk/sdk-source.ts';
import { codeSpecs, FACULTY_TOOL_NAMES, toolset } from '../../../src/tools/registry.ts';
import { createBackgroundCommands } from '../../../src/tools/shell/background-commands.ts';
import { missingPython, runOnHost } from '../../support/sandbox-runner.ts';
import { callWorldTool, contextIn } from '../../tools/tool-context.ts';
import type { Block } from '../page/read-page.ts';
import type { PageRun } from './page-run.ts';

/**
 * Runs Python as `execute_code` does, with the tools on the page's directory, but on this machine's Python and not in a container. What
 * it returns is what it printed. Null if it ran, otherwise what is missing here.
 */
export async function runSandboxBlock(block: Block, run: PageRun): Promise<string | null> {
  const missing = missingPython();
  if (missing !== null) return missing;
  const processes = createProcessHost({ graceMs: 200 });
  const background = createBackgroundCommands();
  const home = async () => ({ directory: run.home.home, caches: {} });
  const context = contextIn(run.shell.directory(), { processes, background, home });
  const tools = toolset(FACULTY_TOOL_NAMES);
  const answer = async (name: string, input: never) => {
    const called = tools.get(name);
    if (!called) throw new Error(`no tool named ${name}`);
    const { content, isError = false, data } = await callWorldTool(called, input, context);
    return { content, is_error: isError, details: data?.() };
  };
  try {
    const { value, traceback } = await runOnHost({ code: block.text, sdk: sdkSource(codeSpecs(tools)), answer });
    if (traceback !== null && traceback !== undefined) throw new Error(`failed:\n${traceback}`);
    run.printed = value ?? '';
    return null;
  } finally {
    await background.close();
    await processes.stop();
  }
}
