import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nextCommands } from '../support/next-commands.ts';
import { emptyDirectory, installNode, nodeShell, pack } from './tarball.ts';

/** A program that has no server: the client loads, and says so. */
const CLIENT = `
import * as animus from 'animus/client';
console.log(Object.keys(animus).sort().join(' '));
const client = animus.createClient({ baseUrl: 'http://127.0.0.1:1', token: 'x', retries: 1 });
await client.work.submit({ faculty: 'engineer' }).catch((error) => console.log(error.code));
`;

// What a user types, in an empty directory with only the tarball.
describe.each([20, 22, 24])('on Node %i', (major) => {
  test('the tarball is installed, runs the demo, and can be imported', { timeout: 600_000 }, async () => {
    const directory = emptyDirectory('project');
    const { filename, version } = await pack(directory);
    const shell = nodeShell(await installNode(major, directory));
    const project = join(directory, 'mine');
    const home = join(directory, 'home');
    const run = (...command: [string, ...string[]]) => shell.run(command, { cwd: project, env: { HOME: home } });
    await shell.run(['mkdir', project, home], { cwd: directory });

    expect((await run('node', '--version')).stdout).toMatch(new RegExp(`^v${major}\\.`));
    const installed = await shell.run(['npm', 'install', '--loglevel=error', join(directory, filename)], {
      cwd: project,
    });
    expect(installed).toMatchObject({ code: 0 });
    expect(await run('npx', 'animus', '--version')).toEqual({ code: 0, stdout: `animus ${version}\n`, stderr: '' });
    const demo = await run('npx', 'animus', 'demo');
    expect(demo).toMatchObject({ code: 0, stdout: expect.stringMatching(/^Outcome +completed$/m), stderr: '' });
    const next = nextCommands(demo.stdout);
    expect(next[0]).toBe('npx animus demo --keep');
    for (const command of next) {
      const ran = await run('sh', '-c', command);
      expect({ command, ...ran }).toMatchObject({ code: 0 });
      for (const each of command.endsWith('--keep') ? nextCommands(ran.stdout) : [])
        expect({ command: each, ...(await run('sh', '-c', each)) }).toMatchObject({ code: 0 });
    }
    const imports = "import('animus').then((animus) => console.log(Object.keys(animus).sort().join(' ')))";
    expect(await run('node', '-e', imports)).toEqual({
      code: 0,
      stdout: 'AnimusError isAnimusError submitWork\n',
      stderr: '',
    });
    expect(await run('node', '--input-type=module', '-e', CLIENT)).toEqual({
      code: 0,
      stdout: 'ApiError answerTexts attachment createClient\nclient.unreachable\n',
      stderr: '',
    });
  });
});
