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

/** Without the types of Node, a program of a browser. */
const CLIENT_PROGRAM = `
import { ApiError, attachment, type Client, createClient, type WorkItem } from 'animus/client';

const client: Client = createClient({ baseUrl: new URL('http://127.0.0.1:7717'), token: async () => 'x' });
const { id }: { id: string } = await client.work.submit({ faculty: 'engineer', attachments: [await attachment('a', new Blob(['x']))] });
for await (const event of client.work.events(id, { signal: AbortSignal.timeout(1000) })) {
  if (event.type === 'approval' && event.status === 'asked' && event.ask_id !== null) await client.approvals.approve(id, { ask_id: event.ask_id, note: 'yes' });
  if (event.type === 'text' && 'live' in event) console.log(event.from, event.text);
  if (event.type === 'done') console.log(event.summary?.length);
}
const items: string[] = [];
for await (const item of client.work.list({ state: ['completed'] })) items.push(item.id);
const item: WorkItem = await client.submitAndWait({ faculty: 'engineer' }, { onEvent: (event) => console.log(event.type) });
const bytes: ReadableStream<Uint8Array> | null = (await client.artifacts.read(item.id)).body;
console.log(bytes, (await client.operate.status()).daemons[0]?.host);
client.work.show(id).catch((error: unknown) => error instanceof ApiError && console.log(error.code, error.remedy, error.status));
// @ts-expect-error a misspelt key is an error
await client.work.submit({ facluty: 'engineer' });
// @ts-expect-error so is a state that there is not
client.work.list({ state: ['done'] });
`;

test('a strict program for browsers finds the types of the client', { timeout: 60_000 }, async () => {
  const directory = emptyDirectory('types');
  mkdirSync(join(directory, 'node_modules'));
  symlinkSync(ROOT, join(directory, 'node_modules/animus'));
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(directory, 'program.ts'), CLIENT_PROGRAM);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const compile = (...options: string[]) =>
    nodeShell(process.execPath).run(
      ['node', tsc, '--noEmit', '--strict', '--target', 'es2024', ...options, 'program.ts'],
      {
        cwd: directory,
      },
    );
  const browser = ['--lib', 'es2024,dom,dom.iterable,dom.asynciterable', '--module', 'preserve', '--types', ''];
  expect(await compile(...browser)).toMatchObject({ code: 0, stdout: '' });
  symlinkSync(join(ROOT, 'node_modules/@types'), join(directory, 'node_modules/@types'));
  expect(await compile('--module', 'nodenext', '--types', 'node')).toMatchObject({ code: 0, stdout: '' });
});

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
