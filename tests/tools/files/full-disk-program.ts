/** Fills a small disk with the file tools and prints what they said; run by full-disk.test.ts on a disk of its own. */
import { readdirSync, readFileSync } from 'node:fs';
import { editFileTool } from '../../../src/tools/files/edit-file.ts';
import { writeFileTool } from '../../../src/tools/files/write-file.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';

const workspace = process.argv[2] ?? '';
const context = { workspace, signal: new AbortController().signal } as ToolContext;
const outputs = [
  await writeFileTool.run({ path: 'a', content: 'small' }, context),
  await writeFileTool.run({ path: 'a', content: 'x'.repeat(200_000) }, context),
  await writeFileTool.run({ path: 'b', content: 'x'.repeat(200_000) }, context),
  await editFileTool.run({ path: 'a', old_string: 'small', new_string: 'x'.repeat(200_000) }, context),
];
process.stdout.write(
  JSON.stringify({ outputs, names: readdirSync(workspace), a: readFileSync(`${workspace}/a`, 'utf8') }),
);
