/** A place for benchmarks of tools: the best isolation of this host, with the rules of a daemon. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { UNLEASED } from '../../../src/core/lifecycle/lease.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { detectIsolation } from '../../../src/process/isolation.ts';
import { createSeenFiles } from '../../../src/tools/files/seen-files.ts';
import { createBackgroundCommands } from '../../../src/tools/shell/background-commands.ts';
import type { Tool, ToolContext, ToolOutput } from '../../../src/tools/tool.ts';

/** `root`: a directory that `close` removes. */
export async function openToolBench() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'bench-tools-')));
  const processes = createProcessHost();
  const background = createBackgroundCommands();
  const isolation = await detectIsolation();
  mkdirSync(join(root, 'home'));
  mkdirSync(join(root, 'secrets'));
  const fileRules = ['key', 'other', 'third'].map((name) => {
    const path = join(root, 'secrets', name);
    writeFileSync(path, 'secret');
    return { path, access: 'hidden' as const };
  });
  return {
    root,
    isolation,
    async close() {
      await background.close();
      await processes.stop();
      rmSync(root, { recursive: true, force: true });
    },
    contextIn: (workspace: string): ToolContext => ({
      workItemId: 'bench',
      leaseToken: 'lease',
      focusId: 'focus',
      faculty: 'bench',
      turn: 1,
      callId: 'call',
      workspace,
      timeoutMs: 60_000,
      signal: new AbortController().signal,
      processes,
      background,
      home: async () => ({ directory: join(root, 'home'), caches: {} }),
      lease: UNLEASED,
      isolation,
      seenFiles: createSeenFiles(async () => []),
      fileRules,
    }),
  };
}

/** Calls a tool as the engine does. Rejects if it fails. */
export async function call(tool: Tool, input: object, context: ToolContext): Promise<ToolOutput> {
  if (tool.kind !== 'world') throw new Error(`${tool.name} is not a world tool`);
  const output = await tool.run(tool.input.parse(input), context);
  if (output.isError) throw new Error(output.content);
  return output;
}
