import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { emptyDirectory, installNode, nodeShell, pack } from './tarball.ts';

const NOBODY = 65_534;

test('installed globally on an old Node, it runs for a user without write access to it', {
  timeout: 600_000,
}, async () => {
  const directory = emptyDirectory('global');
  const { filename, version } = await pack(directory);
  const shell = nodeShell(await installNode(20, directory));
  const prefix = join(directory, 'prefix');
  const home = join(directory, 'home');
  mkdirSync(home);
  const asRoot = process.getuid?.() === 0;
  const run = (...command: [string, ...string[]]) =>
    shell.run(command, { cwd: home, env: { HOME: home }, ...(asRoot && { uid: NOBODY }) });

  const install = ['npm', 'install', '-g', '--prefix', prefix, '--loglevel=error', join(directory, filename)] as const;
  expect(await shell.run([...install], { cwd: directory })).toMatchObject({ code: 0 });
  await shell.run(['chmod', '-R', 'a-w', prefix], { cwd: directory });
  onTestFinished(async () => void (await shell.run(['chmod', '-R', 'u+w', prefix], { cwd: '/' })));
  if (asRoot) await shell.run(['chown', String(NOBODY), home], { cwd: directory });

  expect((await run('touch', join(prefix, 'lib/node_modules/animus/x'))).code).not.toBe(0);
  const animus = join(prefix, 'bin/animus');
  expect(await run(animus, '--version')).toEqual({ code: 0, stdout: `animus ${version}\n`, stderr: '' });
  expect(await run(animus, 'demo')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Outcome +completed$/m),
    stderr: '',
  });
});
