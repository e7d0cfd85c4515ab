/** `node scripts/build-console.ts DIRECTORY`: builds the console into the directory, which is replaced. `npm run build` and the first start of a clone use it. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const SOURCES = fileURLToPath(new URL('../src/console', import.meta.url));

if (import.meta.main) {
  const [directory] = process.argv.slice(2);
  if (directory === undefined) {
    process.stderr.write('usage: node scripts/build-console.ts DIRECTORY\n');
    process.exitCode = 2;
  } else await buildConsole(resolve(directory));
}

/** Files below `assets` have the hash of their content in their name. */
export async function buildConsole(outDir: string): Promise<void> {
  await build({
    root: SOURCES,
    configFile: false,
    // Nothing outside of the sources decides: whoever writes beside the clone must not run code in the server's name.
    envDir: false,
    css: { postcss: {} },
    logLevel: 'warn',
    // Relative addresses: a proxy may serve the console below any path.
    base: './',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2023',
      // As files: the page allows no data: addresses but those of pictures.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        input: [join(SOURCES, 'index.html'), join(SOURCES, 'agent-gate.tsx')],
        // Other pages load it by its name.
        output: { entryFileNames: ({ name }) => (name === 'agent-gate' ? '[name].js' : 'assets/[name]-[hash].js') },
      },
    },
  });
}
