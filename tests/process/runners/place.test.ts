import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { namespaceRunner } from '../../../src/process/runners/namespace.ts';
import { closePlaces, enterPlace } from '../../../src/process/runners/place.ts';

const works = (await namespaceRunner.examine()) === null;
const NOWHERE = Object.fromEntries(
  ['sh', 'unshare', 'mount', 'umount', 'mkdir', 'setpriv', 'nsenter'].map((name) => [name, `/nowhere/${name}`]),
) as unknown as Parameters<typeof enterPlace>[1];

test('a place whose program is missing says so to every command, and does not end this process', async () => {
  for (const entry of [enterPlace([], NOWHERE), enterPlace([], NOWHERE)]) {
    await expect(entry.namespaces).rejects.toThrow('ENOENT');
    entry.entered();
  }
  closePlaces();
});

/** In a process of its own: without free descriptors, a child has no streams. */
test.skipIf(!works)('without free descriptors a place is refused, and prepared once there are some', async () => {
  const runner = new URL('../../../src/process/runners/namespace.ts', import.meta.url).href;
  const script = `
    import { closeSync, openSync } from 'node:fs';
    const { namespaceRunner } = await import(${JSON.stringify(runner)});
    // A keeper keeps no process alive.
    setInterval(() => {}, 1000);
    const request = { command: '/bin/true', args: [], cwd: '/', maxTasks: 10, maxMemoryBytes: 2 ** 26 };
    const first = namespaceRunner.start(request);
    await first.place.namespaces; first.place.entered();
    const full = [];
    try { for (;;) full.push(openSync('/dev/null')); } catch {}
    for (const each of full.splice(0, 3)) closeSync(each);
    const rules = [{ path: '/usr', access: 'read' }];
    const second = namespaceRunner.start({ ...request, fileRules: rules });
    console.log(await second.place.namespaces.then(() => 'ready', ({ message }) => message)); second.place.entered();
    for (const each of full) closeSync(each);
    const third = namespaceRunner.start({ ...request, fileRules: rules });
    console.log(await third.place.namespaces.then(() => 'ready')); process.exit();`;
  const command = ['-c', 'ulimit -n 100; exec "$0" --input-type=module -e "$1"', process.execPath, script];
  const { stdout } = await promisify(execFile)('bash', command);
  expect(stdout).toMatch(/EMFILE.*\nready\n$/);
});

/** In mount and network namespaces of its own, where nobody else mounts anything. */
test.skipIf(!works)(
  'a place stays when a network namespace is mounted on the host, and goes when it is unmounted',
  async () => {
    const runner = new URL('../../../src/process/runners/namespace.ts', import.meta.url).href;
    const script = `
    import { execFileSync } from 'node:child_process';
    import { mkdtempSync, writeFileSync } from 'node:fs';
    const { namespaceRunner } = await import(${JSON.stringify(runner)});
    setInterval(() => {}, 1000);
    execFileSync('mount', ['-t', 'tmpfs', 'none', '/mnt']);
    writeFileSync('/mnt/net', '');
    const request = { command: '/bin/true', args: [], cwd: '/', maxTasks: 10, maxMemoryBytes: 2 ** 26 };
    const closed = [];
    const enter = async () => {
      const { place } = namespaceRunner.start(request);
      await place.namespaces; place.entered();
      if (!closed.includes(place.closed)) closed.push(place.closed);
      return closed.indexOf(place.closed);
    };
    const seen = [await enter()];
    for (const command of [['mount', '--bind', '/proc/self/ns/net', '/mnt/net'], ['true'], ['umount', '/mnt/net'],
      ['mount', '--bind', '/proc/self/ns/net', '/mnt/net'], ['mount', '-t', 'tmpfs', 'none', '/srv'], ['umount', '/mnt/net']]) {
      execFileSync(command[0], command.slice(1));
      seen.push(await enter());
    }
    console.log(seen.join(' '), closed.map(({ aborted }) => aborted).join(' ')); process.exit();`;
    const apart = [
      '--user',
      '--map-root-user',
      '--mount',
      '--net',
      process.execPath,
      '--input-type=module',
      '-e',
      script,
    ];
    const { stdout } = await promisify(execFile)('unshare', apart);
    // The first place did not contain the mount; the one that was made while it was there does.
    expect(stdout).toBe('0 0 0 0 0 1 2 false true false\n');
  },
);
