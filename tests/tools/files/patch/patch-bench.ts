import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { applyPatchTool } from '../../../../src/tools/files/patch/apply-patch.ts';
import { hashOf } from '../../../../src/tools/files/seen-files.ts';
import { setUpBench } from '../../tool-context.ts';

/** A workspace with these files (null: a directory), and what applies patches to it and reads it. */
export async function patchBench(files: Readonly<Record<string, string | Buffer | null>>) {
  const bench = await setUpBench();
  const { workspace, call } = bench;
  for (const [name, content] of Object.entries(files)) {
    const file = join(workspace, name);
    await mkdir(content === null ? file : join(file, '..'), { recursive: true });
    if (content !== null) await writeFile(file, content);
  }
  return {
    ...bench,
    apply: (body: string) => call(applyPatchTool, { patch: `*** Begin Patch\n${body.trim()}\n*** End Patch\n` }),
    text: (name: string) => readFile(join(workspace, name), 'utf8'),
    names: async () => (await readdir(workspace, { recursive: true })).sort(),
    /** A file as a staged change holds it. */
    staged: async (name: string) => ({
      path: { real: join(workspace, name), exists: true, shown: name },
      read: await Promise.all([lstat(join(workspace, name)), readFile(join(workspace, name))]).then(
        ([stats, content]) => ({ stats, hash: hashOf(content) }),
        () => null,
      ),
    }),
  };
}
