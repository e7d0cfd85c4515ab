/** Programs in TypeScript and Python. */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { pythonWithHttpx } from '../../client/python.ts';
import type { Block } from '../page/read-page.ts';
import type { PageRun } from './page-run.ts';
import { runShellBlock } from './run-shell-block.ts';

const TSC = resolve(import.meta.dirname, '../../../node_modules/.bin/tsc');
const OPTIONS =
  '--noEmit --strict --module nodenext --target esnext --allowImportingTsExtensions --skipLibCheck --types node'.split(
    ' ',
  );

/** Compiles it with all checks and runs it in the shell of the page, so with its variables. */
export async function runTypeScript(block: Block, run: PageRun): Promise<void> {
  const file = writeProgram(block, run, 'mts');
  const compiled = promisify(execFile)(TSC, [...OPTIONS, file], { cwd: run.shell.directory() }).catch(
    (error: { stdout: string }) => error.stdout,
  );
  await runShellBlock({ ...block, text: `'${process.execPath}' --no-warnings ${file}` }, run);
  const problems = await compiled;
  if (typeof problems === 'string') throw new Error(`does not compile:\n${problems}`);
}

/** Looked for once. */
let withHttpx: { readonly python: string | null } | undefined;

/** Null if it ran, otherwise what is missing here. */
export async function runPython(block: Block, run: PageRun): Promise<string | null> {
  if (/^import httpx/m.test(block.text)) withHttpx ??= { python: pythonWithHttpx() };
  const python = /^import httpx/m.test(block.text) ? withHttpx!.python : 'python3';
  if (python === null) return 'Python with httpx (ANIMUS_REQUIRE_PYTHON=1 installs it)';
  await runShellBlock({ ...block, text: `'${python}' ${writeProgram(block, run, 'py')}` }, run);
  return null;
}

function writeProgram({ line, text }: Block, run: PageRun, ending: string): string {
  const name = `line-${line}.${ending}`;
  writeFileSync(join(run.shell.directory(), name), run.standIns.here(text));
  return name;
}
