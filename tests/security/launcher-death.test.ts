/**
 * Promise: a daemon that an old Node has launched ends when the launcher is killed in any way: it claims no more work, its
 * running work is released, and nothing that it started survives.
 */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { isAlive } from '../process/live-processes.ts';
import { LAUNCHER, makeSite } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { sleepingProcesses } from '../support/sleeping-processes.ts';

const target = testDatabase();
const old = oldNode();

test.skipIf(old === null || process.platform !== 'linux')(
  'kill -9 of the launcher under an old Node ends the daemon, and its work is released',
  async () => {
    const nap = `3600.${process.pid}7`;
    const site = makeSite({
      databaseUrl: target.connectionString,
      modelUrl: null,
      config: '[daemon]\npoll_seconds = 0.2\nhttp = "off"\n',
      faculties: {
        sleeper: `[faculty]\nname = "sleeper"\n[faculty.engage]\nmode = "external"\ncommand = "sleep"\nargs = ["${nap}"]\n`,
      },
    });
    const launcher = spawn(old!, [LAUNCHER, 'serve', '--faculties', 'faculties'], {
      cwd: site.directory,
      env: site.env,
      stdio: 'ignore',
    });
    onTestFinished(() => void launcher.kill('SIGKILL'));
    const db = target.database;
    const [work] = await eventually('the schema is there', async () =>
      db
        .query<{ id: string }>(
          `insert into animus.work_items (faculty, description) values ('sleeper', 'x') returning id`,
        )
        .catch(() => null),
    );
    await eventually('the command runs', () => (sleepingProcesses(nap) > 0 ? true : null), 40);
    const [daemon] = childrenOf(launcher.pid!);
    launcher.kill('SIGKILL');
    await eventually('the daemon has ended', () => (isAlive(daemon!) ? null : true), 15);
    expect(sleepingProcesses(nap)).toBe(0);
    const [item] = await db.query('select state, attempts from animus.work_items where id = $1', [work!.id]);
    expect(item).toMatchObject({ state: 'queued', attempts: 0 });
  },
);

/** A Node on this machine that is too old for animus itself. */
function oldNode(): string | null {
  const candidates = ['/usr/bin/node', '/usr/local/bin/node'];
  return candidates.find((node) => isOld(node)) ?? null;
}

function isOld(node: string): boolean {
  try {
    const [major = 0, minor = 0] = execFileSync(node, ['-p', 'process.versions.node'])
      .toString()
      .split('.')
      .map(Number);
    return major < 24 || (major === 24 && minor < 12);
  } catch {
    return false;
  }
}

function childrenOf(pid: number): readonly number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
