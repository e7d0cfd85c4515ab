/** `npm run build`: plain JavaScript, types and source maps in dist/, beside them the files that the code reads there, with the prepared embedded database, the console, and the program in few files. */
import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PREPARED_DATABASE } from '../src/store/embedded/prepared-database.ts';
import { buildConsole } from './build-console.ts';
import { bundleProgram } from './bundle-program.ts';
import { prepareDatabase } from './prepare-database.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

await build();

async function build(): Promise<void> {
  // What a removed source file left behind must not be packed.
  rmSync(join(ROOT, 'dist'), { recursive: true, force: true });
  compile();
  copyAssets();
  await buildConsole(join(ROOT, 'dist', 'console'));
  await bundleProgram(join(ROOT, 'dist'));
  await prepareDatabase(fileURLToPath(PREPARED_DATABASE));
}

function compile(): void {
  const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin', 'tsc');
  execFileSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: ROOT, stdio: 'inherit' });
}

/** Copies all files that are not TypeScript. dist/ has the layout of src/, so the code finds each file at the same relative path. */
function copyAssets(): void {
  const source = join(ROOT, 'src');
  const files = globSync('**/*', { cwd: source, withFileTypes: true, exclude: ['console/**'] }).filter((entry) =>
    entry.isFile(),
  );
  for (const file of files) {
    const from = join(file.parentPath, file.name);
    // The launcher is packed unchanged: it is the bin of a clone and of the package.
    if (file.name.endsWith('.ts') || from === join(source, 'animus.js')) continue;
    const to = join(ROOT, 'dist', from.slice(source.length));
    mkdirSync(dirname(to), { recursive: true });
    copyFileSync(from, to);
  }
}
