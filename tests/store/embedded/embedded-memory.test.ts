import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { embeddedHome } from '../../support/database.ts';

const MODULE = new URL('../../../src/store/embedded/embedded.ts', import.meta.url).href;
/** Prints the most memory that the process has had, in kB. */
const WORK = `
import { readFileSync } from 'node:fs';
import { openEmbedded } from ${JSON.stringify(MODULE)};
const database = await openEmbedded({ home: process.argv[1] });
for (let n = 0; n < 300; n++)
  await database.query('select count(*) from generate_series(1, 2000) i where i % $1 = 0', [n + 2]);
console.log(/^VmHWM:\\s+(\\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
await database.close();
`;

test.skipIf(process.platform !== 'linux')(
  'a process that works with the database does not take the hundreds of MB with which V8 optimizes PGlite',
  async () => {
    const args = ['-e', WORK, embeddedHome()];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(Number(stdout) / 1024).toBeLessThan(400);
  },
);
