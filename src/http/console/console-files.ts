/** The files of the console, read once: nothing of a request reaches the file system. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** How a file can be sent. */
export type Coding = 'br' | 'gzip' | 'identity';

export interface ConsoleFile {
  readonly type: string;
  /** A hash of its content. */
  readonly digest: string;
  /** Its name has a hash of its content, so that what a browser has is never out of date. */
  readonly immutable: boolean;
  /** Pages of others may load it: it is the same for everybody, and acts with a token that they give it. */
  readonly shared: boolean;
  /** Whether it becomes smaller. */
  readonly compressible: boolean;
  /** Its content in a coding; compressed once, when it is first asked for. */
  content(coding: Coding): Promise<Buffer>;
}

/** By the path at which a browser asks for it: `/assets/now-x1y2.js`. `/` is the page. */
export type ConsoleFiles = ReadonlyMap<string, ConsoleFile>;

/** The element that shows one request in another page. */
const SHARED = 'agent-gate.js';
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.woff2': 'font/woff2',
};
const COMPRESSIBLE = /^(text|application\/json|image\/svg)/;
/** Best would take seconds for what is sent once per version. */
const QUALITY = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Errors: those of the file system; one for a directory without a page. Files of other types are left out. */
export async function readConsoleFiles(directory: string): Promise<ConsoleFiles> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const read = await Promise.all(
    names.flatMap((name) => {
      const type = TYPES[extname(name)];
      const path = relative(directory, name).split(sep).join('/');
      return type === undefined ? [] : [fileOf(name, path, type).then((file) => [pathOf(path), file] as const)];
    }),
  );
  const files = new Map(read);
  if (!files.has('/')) throw new Error(`${directory} has no index.html`);
  return files;
}

function pathOf(path: string): string {
  return path === 'index.html' ? '/' : `/${path}`;
}

async function fileOf(name: string, path: string, type: string): Promise<ConsoleFile> {
  const bytes = await readFile(name);
  const made = new Map<Coding, Promise<Buffer>>([['identity', Promise.resolve(bytes)]]);
  return {
    type,
    digest: createHash('sha256').update(bytes).digest('base64url').slice(0, 27),
    immutable: path.startsWith('assets/'),
    shared: path === SHARED,
    compressible: COMPRESSIBLE.test(type),
    content(coding) {
      const known =
        made.get(coding) ?? (coding === 'br' ? promisify(brotliCompress)(bytes, QUALITY) : promisify(gzip)(bytes));
      made.set(coding, known);
      return known;
    },
  };
}
