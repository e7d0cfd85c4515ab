/** Which files of the host commands of `bash` in a container can read and change. On a real engine. */
import { existsSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { bashBench, give } from './bash-bench.ts';
import { missingEngine, testHost } from './containers.ts';

const missing = missingEngine();

describe.skipIf(missing !== null)(
  `files of bash in a container${missing === null ? '' : ` (skipped: ${missing})`}`,
  () => {
    const { host, left, stop } = testHost();
    afterAll(async () => {
      await stop();
      expect(await left()).toEqual([]);
    });

    test('hidden and read-only paths stay so, whatever is moved, removed or linked', async () => {
      const { run, workspace } = bashBench(host);
      for (const directory of ['d', 'd/keys', 'faculties']) mkdirSync(join(workspace, directory));
      for (const file of ['.env', 'd/keys/k', 'faculties/f.toml']) writeFileSync(join(workspace, file), 'geheim');
      for (const path of ['.env', 'd', 'd/keys', 'd/keys/k', 'faculties', 'faculties/f.toml'])
        give(join(workspace, path));
      const fileRules = [
        { path: join(workspace, '.env'), access: 'hidden' },
        { path: join(workspace, 'd/keys'), access: 'hidden' },
        { path: join(workspace, 'faculties'), access: 'read' },
      ] as const;
      const attempts = [
        'cat .env d/keys/* faculties/../.env',
        'ln .env hard; cat hard; cp -r . /tmp/all; grep -r geheim /tmp/all --include=k --include=.env',
        'mv d e; mv .env x; rm -rf .env d faculties; mv faculties g; rmdir d/keys',
        'echo broken > faculties/f.toml; echo new > faculties/n.toml; ln -s f.toml faculties/l',
        'umount d/keys .env; mount --bind / d',
      ];
      for (const line of attempts) expect((await run(line, { fileRules })).stdout.text).not.toContain('geheim');
      expect(readFileSync(join(workspace, 'faculties/f.toml'), 'utf8')).toBe('geheim');
      expect(readFileSync(join(workspace, '.env'), 'utf8')).toBe('geheim');
      expect(existsSync(join(workspace, 'faculties/n.toml'))).toBe(false);
    });

    test('a path that becomes hidden, or is replaced, is hidden from the next command; one that is gone stops it', async () => {
      const { run, workspace } = bashBench(host);
      const secret = join(workspace, 'late');
      const fileRules = [{ path: secret, access: 'hidden' }] as const;
      expect((await run('echo one > late; cat late')).stdout.text).toBe('one\n');
      expect((await run('cat late', { fileRules })).stdout.text).toBe('');
      writeFileSync(join(workspace, 'new'), 'two');
      renameSync(join(workspace, 'new'), secret);
      expect((await run('cat late', { fileRules })).stdout.text).toBe('');
      renameSync(secret, join(workspace, 'moved'));
      expect(await run('cat moved', { fileRules })).toMatchObject({
        ended: 'not_started',
        problem: expect.stringContaining('must be hidden but does not exist') as string,
      });
    });

    test('a link in place of a path with a rule opens nothing of the host, also one that comes while the container starts', async () => {
      const outside = bashBench(host).workspace;
      writeFileSync(join(outside, 'private'), 'geheim');
      const early = bashBench(host);
      symlinkSync(outside, join(early.workspace, 'd'));
      const linked = await early.run('cat d/private', {
        fileRules: [{ path: join(early.workspace, 'd'), access: 'read' }],
      });
      expect(linked).toMatchObject({
        ended: 'not_started',
        problem: expect.stringContaining('is a symbolic link') as string,
      });
      const late = bashBench(host, {}, (workspace) => {
        if (!existsSync(join(workspace, 'e'))) return;
        renameSync(join(workspace, 'd'), join(workspace, 'moved'));
        symlinkSync(outside, join(workspace, 'd'));
      });
      expect((await late.run('mkdir d; touch d/own; echo fine')).stdout.text).toBe('fine\n');
      writeFileSync(join(late.workspace, 'e'), '');
      const raced = await late.run('cat d/private', {
        fileRules: [{ path: join(late.workspace, 'd'), access: 'read' }],
      });
      expect(raced).toMatchObject({ ended: 'not_started', stdout: { text: '' } });
      expect(raced.problem).toContain('is not in the container as it should be');
    });

    test('links out of the workspace lead into the image, not to the host', async () => {
      const { run, workspace } = bashBench(host);
      const outside = bashBench(host).workspace;
      writeFileSync(join(outside, 'private'), 'geheim');
      symlinkSync(outside, join(workspace, 'out'));
      symlinkSync('/etc/hostname', join(workspace, 'name'));
      expect((await run('cat out/private name; ls /proc/1/root/')).stdout.text).not.toContain('geheim');
      expect((await run('cat name')).stdout.text).toBe('sandbox\n');
    });
  },
);
