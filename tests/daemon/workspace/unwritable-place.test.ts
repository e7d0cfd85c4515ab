/** Places that cannot be written to are found where the faculties are loaded, as the user who will write. */
import { execFile } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { loadRunnableFaculties } from '../../../src/daemon/reload/load-faculties.ts';
import { isolationModes } from '../../process/isolation-modes.ts';
import { sharedCompileCache } from '../../support/compile-cache.ts';

const modes = await isolationModes();
const isRoot = process.getuid?.() === 0;

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'unwritable-'));
  onTestFinished(() => {
    chmodSync(join(directory, 'work'), 0o755);
    rmSync(directory, { recursive: true });
  });
  // Others may enter it, for commands that run as the owner of the workspace.
  chmodSync(directory, 0o755);
  mkdirSync(join(directory, 'work'));
  mkdirSync(join(directory, 'faculties'));
});

describe.skipIf(!modes.includes('namespace'))('on a file system that is mounted read-only', () => {
  const TOOLS = ['write_file', 'edit_file", "read_file', 'apply_patch', 'remove_file'];
  test.each(TOOLS)('a faculty with "%s" is a problem that says what to do', async (tools) => {
    writeFaculty(`tools = ["${tools}"]`);
    const { code, problems } = await checkReadOnly();
    expect(code).toBe(2);
    expect(problems).toMatchObject([{ code: 'config.conflict', line: 3, key: 'faculty.workspace' }]);
    expect(problems[0]?.message).toMatch(
      /x\.toml:3: faculty\.workspace: \w+ cannot write to \S+work: its file system is mounted read-only; make it writable, or set workspace/,
    );
  });

  test('a faculty that only reads, or only runs commands, is fine', async () => {
    writeFaculty('tools = ["read_file", "list_dir", "glob", "grep", "bash"]');
    expect(await checkReadOnly()).toMatchObject({ code: 0, problems: [] });
  });

  test('a repository for worktrees is a problem, whatever the tools', async () => {
    mkdirSync(join(directory, 'work/.git'));
    writeFaculty('tools = ["read_file"]', 'isolation = "worktree"\nrepo = "../work"');
    const { code, problems } = await checkReadOnly();
    expect(code).toBe(2);
    expect(problems).toMatchObject([{ key: 'faculty.repo', line: 4 }]);
    expect(problems[0]?.message).toContain('git worktree cannot write to');
  });
});

test.skipIf(isRoot)('where this user may not write, the problem names the user and the owner', async () => {
  chmodSync(join(directory, 'work'), 0o555);
  writeFaculty('tools = ["write_file"]');
  const { faculties, problems } = await load();
  expect(faculties.size).toBe(0);
  const uid = process.getuid?.();
  expect(problems[0]?.message).toContain(`user ${uid} may not (EACCES), it belongs to user ${uid}`);
});

describe.skipIf(!modes.includes('uid'))('where commands run as the owner of their directory', () => {
  const OWNER = 1_900_000_007;
  beforeEach(() => chownSync(join(directory, 'work'), OWNER, OWNER));

  test.each([
    ['uid', 0o755, 0o755, null],
    ['uid', 0o555, 0o755, `its owner, user ${OWNER}, who may not write`],
    ['uid', 0o755, 0o700, `its owner, user ${OWNER}, who may not write`],
    // There, root itself writes.
    ['none', 0o555, 0o700, null],
  ])('the owner has to be able to write: %s, %o below %o', async (isolation, mode, above, problem) => {
    chmodSync(join(directory, 'work'), mode);
    chmodSync(directory, above);
    writeFaculty(`tools = ["write_file", "bash"]\nbash_isolation = "${isolation}"`);
    const { problems } = await load();
    expect(problems.map(({ message }) => message)).toEqual(problem === null ? [] : [expect.stringContaining(problem)]);
  });
});

function writeFaculty(engage: string, place = 'workspace = "../work"'): void {
  const text = `[faculty]\nname = "x"\n${place}\n[faculty.engage]\nmodel = "claude-sonnet-4-5"\nsystem_prompt = "p"\n${engage}\n`;
  writeFileSync(join(directory, 'faculties/x.toml'), text);
}

function load() {
  const config = loadConfig({ env: { HOME: directory }, cwd: directory });
  return loadRunnableFaculties(join(directory, 'faculties'), config);
}

/** What `animus faculty check` says in a namespace in which the place is mounted read-only. */
async function checkReadOnly(): Promise<{ code: number; problems: { code: string; message: string }[] }> {
  const place = join(directory, 'work');
  const mount = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && shift && exec "$@"';
  const animus = [
    process.execPath,
    resolve(import.meta.dirname, '../../../src/animus.js'),
    'faculty',
    'check',
    '--json',
  ];
  const line = ['--user', '--map-root-user', '--mount', 'sh', '-c', mount, 'sh', place, ...animus];
  const env = { PATH: process.env['PATH'], HOME: directory, ...sharedCompileCache() };
  const { code, stdout } = await new Promise<{ code: number; stdout: string }>((done) => {
    execFile('unshare', line, { cwd: directory, env }, (error, output) =>
      done({ code: Number(error?.code ?? 0), stdout: output }),
    );
  });
  return { code, problems: JSON.parse(stdout).problems };
}
