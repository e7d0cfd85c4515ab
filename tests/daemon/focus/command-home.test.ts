/** Promise: HOME of an agent's commands is a private directory of the focus, outside of every workspace, made when a command needs it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isolationModes } from '../../process/isolation-modes.ts';
import { bash, type Call, startSite } from '../../security/scripted-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { commit, git } from '../../support/worktree.ts';

const target = testDatabase();
const modes = await isolationModes();

/** Real npm, which writes a log and a cache below HOME. */
const NPM = 'npm pack --dry-run --silent; ls -A "$HOME"; ls "$HOME/.npm/_logs" | grep -c .';

/** A package in a repository, which belongs to a user who is not root. */
function packageRepository(): string {
  const repo = realpathSync(mkdtempSync(join(tmpdir(), 'animus-package-')));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, 'init', '-q', '-b', 'main');
  writeFileSync(join(repo, 'package.json'), '{"name": "little", "version": "1.0.0"}\n');
  git(repo, 'add', '.');
  commit(repo, 'first');
  if (process.getuid?.() === 0) execFileSync('chown', ['-R', '12345:12345', repo]);
  return repo;
}

function start(isolation: string, calls: readonly Call[], faculty: string) {
  return startSite(target, {
    calls,
    faculty: `${faculty}\npermissions.bash = "auto"`,
    engage: `bash_isolation = "${isolation}"\n`,
  });
}

describe.each(modes)('with isolation %s', (isolation) => {
  test('what npm writes to HOME is not in the worktree, and not among its changes', async () => {
    const repo = packageRepository();
    const site = await start(
      isolation,
      [bash(NPM), bash('git status --short --ignored; ls -A')],
      `isolation = "worktree"\nrepo = "${repo}"`,
    );
    execFileSync('chmod', ['755', site.directory]);
    const { outputs, state } = await site.run();
    expect(outputs).toEqual(['']);
  });
});
