/** The program in few files: what most commands need is one, so that a command reads two or three files instead of a hundred. */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

/** Where it is in dist/; the launcher starts `main.js` there. */
const PROGRAM = 'program';
/**
 * The packages that are part of it, as the lock file has them: those of quick commands and of their libraries, which find no file by their own place. All
 * others are imported as npm has installed them.
 */
const INCLUDED =
  /^(@isaacs\/nonrecursive-glob-match|aws4fetch|balanced-match|brace-expansion|commander|ipaddr\.js|minimatch|pg|pg-(connection-string|int8|pool|protocol|types)|postgres-(array|bytea|date|interval)|smol-toml|xtend|zod)(\/|$)/;

/** The modules whose static imports are one file each, the first one first: what most commands need, and what reads faculties and animus.toml. */
const FILES: Readonly<Record<string, readonly string[]>> = {
  terminal: [
    'main.js',
    'features/operate/feature.js',
    'features/operate/status/status-command.js',
    'features/memory/feature.js',
    'features/memory/status.js',
    'features/skills/feature.js',
    'features/skills/status.js',
    'features/webhooks/feature.js',
    'features/webhooks/doctor.js',
    'features/batches/feature.js',
    'features/batches/status.js',
    'features/work/feature.js',
    'features/work/commands.js',
    'features/work/terminal/list-command.js',
    'store/postgres/postgres.js',
  ],
  catalog: [
    'daemon/reload/load-faculties.js',
    'cli/faculty/faculty-list.js',
    'catalog/config/load-config.js',
    'llm/models/price-home.js',
  ],
};

/** Writes it to `dist`/program from the modules that the compiler has written to `dist`. */
export async function bundleProgram(dist: string): Promise<void> {
  const graph = new Map<string, readonly string[]>();
  const build = await rolldown({
    input: { main: join(dist, 'main.js') },
    platform: 'node',
    external: (id) => !/^[./\0]/.test(id) && !INCLUDED.test(id) && !(isBuiltin(id) && id !== 'node:module'),
    preserveEntrySignatures: 'allow-extension',
    checks: { ineffectiveDynamicImport: false },
    plugins: [
      builtins(),
      inPlace(dist),
      { name: 'graph', moduleParsed: ({ id, importedIds }) => void graph.set(id, importedIds) },
    ],
  });
  const roots = (name: string) => FILES[name]!.map((file) => join(dist, file));
  const group = (name: string, index: number) => {
    let files: ReadonlySet<string> | undefined;
    // The graph is complete when this is first asked.
    const test = (id: string) => (files ??= closure(roots(name), graph)).has(id);
    return { name, priority: Object.keys(FILES).length - index, test };
  };
  const { output } = await build.write({
    dir: join(dist, PROGRAM),
    chunkFileNames: '[name]-[hash].js',
    codeSplitting: { includeDependenciesRecursively: false, groups: Object.keys(FILES).map(group) },
  });
  await build.close();
  const modules = output.flatMap((part) => ('moduleIds' in part ? part.moduleIds : []));
  writeFileSync(join(dist, PROGRAM, 'licenses.txt'), licenses(modules));
}

/** These modules and all that they import, directly or not. */
function closure(roots: readonly string[], graph: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const add = (id: string): void => {
    if (found.has(id)) return;
    if (!graph.has(id)) throw new Error(`the program does not import ${id}`);
    found.add(id);
    for (const each of graph.get(id)!) if (graph.has(each)) add(each);
  };
  for (const root of roots) add(root);
  return found;
}

const BUILTIN = '\0builtin:';

/**
 * Modules of Node are asked for instead of imported. An import reads all exports of a module, and with some of them Node loads more: WebCrypto, the
 * REPL's history, reports. That took 20 ms.
 */
function builtins(): Plugin {
  return {
    name: 'builtins',
    resolveId: {
      order: 'pre',
      // What rolldown itself imports.
      handler: (id) => (isBuiltin(id) && id !== 'node:module' ? `${BUILTIN}node:${id.replace(/^node:/, '')}` : null),
    },
    load(id) {
      if (!id.startsWith(BUILTIN)) return null;
      return { code: builtin(id.slice(BUILTIN.length)), moduleType: 'js' };
    },
  };
}

/**
 * A module of Node, as CommonJS, whose exports ask for it when one of them is first used. What is more than an object of exports (`events`, `process`) is
 * asked for at once.
 */
function builtin(name: string): string {
  const found: unknown = process.getBuiltinModule(name);
  const asked = `process.getBuiltinModule('${name}')`;
  if (typeof found !== 'object' || found === null || Object.getPrototypeOf(found) !== Object.prototype)
    return `module.exports = ${asked};`;
  const names = Object.getOwnPropertyNames(found).filter((each) => each !== 'default');
  const exports = names.map(
    (each) => `get ${JSON.stringify(each)}() { return (found ??= ${asked})[${JSON.stringify(each)}]; }`,
  );
  return `let found;\nmodule.exports = { ${exports.join(', ')} };`;
}

/** What a module finds by its own place stays where the compiler has put it: migrations, JSON files, the programs of threads and helpers. */
function inPlace(dist: string): Plugin {
  return {
    name: 'in-place',
    transform(code, id) {
      if (!id.startsWith(dist + sep) || !code.includes('import.meta.')) return null;
      const url = (path: string) =>
        `new URL(${JSON.stringify(`../${relative(dist, path).split(sep).join('/')}`)}, import.meta.url)`;
      const path = (of: string) => `process.getBuiltinModule('url').fileURLToPath(${url(of)})`;
      return code
        .replaceAll('import.meta.url', `${url(id)}.href`)
        .replaceAll('import.meta.dirname', path(dirname(id)))
        .replaceAll('import.meta.filename', path(id));
    },
  };
}

/** The license of each package that is part of the program, which asks for that. */
function licenses(modules: readonly string[]): string {
  const directory = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;
  const packages = new Set(modules.flatMap((id) => directory.exec(id) ?? []));
  return [...packages]
    .toSorted()
    .map(licenseOf)
    .join(`\n${'-'.repeat(80)}\n\n`);
}

function licenseOf(directory: string): string {
  const manifest = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as Manifest;
  const { name, version, license, author } = manifest;
  const [file] = globSync('{LICENSE,LICENCE,license,License}*', { cwd: directory });
  const text =
    file === undefined ? `${license}, ${JSON.stringify(author)}` : readFileSync(join(directory, file), 'utf8');
  return `${name} ${version}\n\n${text.trim()}\n`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly author?: unknown;
}
