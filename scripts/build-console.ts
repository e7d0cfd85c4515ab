/** `node scripts/build-console.ts DIRECTORY`: builds the console into the directory, which is replaced. `npm run build` and the first start of a clone use it. */
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig, type Plugin } from 'vite';

const SOURCES = fileURLToPath(new URL('../src/console', import.meta.url));

/** Files below `assets` have the hash of their content in their name. `agent-gate.js` is one file, which pages of others load by that name. */
export async function buildConsole(outDir: string): Promise<void> {
  await build({
    ...COMMON,
    build: { ...COMMON.build, outDir, emptyOutDir: true },
  });
  await build({
    ...COMMON,
    publicDir: false,
    plugins: [WITHOUT_STYLES],
    build: {
      ...COMMON.build,
      outDir,
      emptyOutDir: false,
      rolldownOptions: {
        input: join(SOURCES, 'agent-gate.tsx'),
        output: { entryFileNames: 'agent-gate.js', codeSplitting: false },
      },
    },
  });
}

const COMMON = {
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
    target: 'es2023',
    // As files: the page allows no data: addresses but those of pictures.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
} as const satisfies InlineConfig;

/** The styles of the element are in its script. */
const WITHOUT_STYLES: Plugin = {
  name: 'without-styles',
  generateBundle(_options, bundle) {
    for (const name of Object.keys(bundle)) if (name.endsWith('.css')) delete bundle[name];
  },
};

if (import.meta.main) {
  const [directory] = process.argv.slice(2);
  if (directory === undefined) {
    process.stderr.write('usage: node scripts/build-console.ts DIRECTORY\n');
    process.exitCode = 2;
  } else await buildConsole(resolve(directory));
}
