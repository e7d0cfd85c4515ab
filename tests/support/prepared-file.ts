/** Lets embedded databases that tests create unpack a prepared one, as those of the package do: running the migrations takes 4 s of processor time instead of 1. */
import { copyFileSync, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';

/** Always here, because vitest keeps transformed modules. One of other migrations is not used (`madeOf`). */
const FILE = resolve(import.meta.dirname, '../../node_modules/.cache/animus-tests/prepared-database.zst');

/** Puts a file into that place. */
export function offerPrepared(file: string): void {
  const copy = `${FILE}.${process.pid}`;
  copyFileSync(file, copy);
  renameSync(copy, FILE);
}

/** Where a clone that was not built has none, the module of the tests finds that file. Processes that tests start do not. */
export function preparedFile(): Plugin {
  const module = resolve(import.meta.dirname, '../../src/store/embedded/prepared-database.ts');
  const place = /new URL\('[^']*prepared-database\.zst', import\.meta\.url\)/;
  return {
    name: 'prepared-file',
    enforce: 'pre',
    transform(code, id) {
      if (id !== module) return null;
      if (!place.test(code)) throw new Error(`${module} does not say where the prepared database is`);
      return code.replace(place, `new URL('${pathToFileURL(FILE).href}')`);
    },
  };
}
