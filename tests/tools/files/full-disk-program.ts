/** Fills a small disk with the file tools and prints their results; full-disk.test.ts runs it on a separate disk. */
import { readdirSync, readFileSync } from 'node:fs';
import { UNLEASED } from '../../../src/core/lifecycle/lease.ts';
import { createProcessHost } from '../../../src/process/host/supervised-host.ts';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { applyPatchTool } from '../../../src/tools/files/patch/apply-patch.ts';
import { createSeenFiles } from '../../../src/tools/files/seen-files.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import { bashTool } from '../../../src/tools/shell.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';

const workspace = process.argv[2] ?? '';
const processes = createProcessHost();
const context = {
  workspace,
  processes,
  isolation: 'none',
  timeoutMs: 20_000,
  workItemId: 'w',
  lease: UNLEASED,
  fileRules: [],
  seenFiles: createSeenFiles(async () => []),
  home: () => Promise.resolve({ directory: workspace, caches: {} }),
  signal: new AbortController().signal,
} as unknown as ToolContext;
const more = Array.from({ length: 20_000 }, (_, n) => `+line ${n}`).join('\n');
const outputs = [
  await writeFileTool.run({ path: 'a', content: 'small' }, context),
  await writeFileTool.run({ path: 'a', content: 'x'.repeat(200_000) }, context),
  await writeFileTool.run({ path: 'b', content: 'x'.repeat(200_000) }, context),
  await editFileTool.run({ path: 'a', old_string: 'small', new_string: 'x'.repeat(200_000) }, context),
  await applyPatchTool.run(
    {
      patch: `*** Begin Patch\n*** Update File: a\n-small\n+changed\n*** Add File: c\n${more}\n*** End Patch`,
    },
    context,
  ),
  await bashTool.run({ command: 'head -c 200000 /dev/zero > big; echo "said: $?"; rm big' }, context),
];
await processes.stop();
process.stdout.write(
  JSON.stringify({ outputs, names: readdirSync(workspace), a: readFileSync(`${workspace}/a`, 'utf8') }),
);
