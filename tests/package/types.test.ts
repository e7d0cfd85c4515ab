import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { emptyDirectory, nodeShell, ROOT } from './tarball.ts';

const PROGRAM = `
import { AnimusError, type NewWork, submitWork } from 'animus';
import { Client, Pool } from 'pg';

const work: NewWork = { faculty: 'engineer', description: 'Fix it', runAt: new Date() };
const pool = new Pool();
const client = await pool.connect();
for (const connection of [pool, client, new Client()]) {
  const { id, state }: { id: string; state: string } = await submitWork(connection, work);
  console.log(id, state);
}
const error: unknown = null;
if (error instanceof AnimusError && error.code === 'work.invalid') console.log(error.message);
// @ts-expect-error a misspelt key is an error
await submitWork(client, { facluty: 'engineer' });
`;

test.each(['nodenext', 'preserve'])(
  'a strict program in TypeScript (module %s) finds the types',
  { timeout: 60_000 },
  async (module) => {
    const directory = emptyDirectory('types');
    mkdirSync(join(directory, 'node_modules/@types'), { recursive: true });
    symlinkSync(ROOT, join(directory, 'node_modules/animus'));
    for (const name of ['pg', '@types/pg', '@types/node'])
      symlinkSync(join(ROOT, 'node_modules', name), join(directory, 'node_modules', name));
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
    writeFileSync(join(directory, 'program.ts'), PROGRAM);
    const options = ['--noEmit', '--strict', '--target', 'es2024', '--module', module, '--types', 'node'];
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    expect(
      await nodeShell(process.execPath).run(['node', tsc, ...options, 'program.ts'], { cwd: directory }),
    ).toMatchObject({ code: 0, stdout: '' });
  },
);
