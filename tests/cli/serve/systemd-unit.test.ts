/** The unit of docs/operations.md restarts the daemon, and stops it as patiently as the appliance does. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = new URL('../../../', import.meta.url).pathname;
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const UNIT = /```ini\n([^]*?)```/.exec(read('docs/operations.md').split('## A systemd service')[1]!)![1]!;
const settings = Object.fromEntries(
  [...UNIT.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!]),
) as Readonly<Record<string, string>>;

test('it restarts, signals the daemon alone, and waits as long as docker-compose.yml', () => {
  const [, minutes] = /stop_grace_period: \$\{ANIMUS_STOP_GRACE:-(\d+)m\}/.exec(read('docker-compose.yml'))!;
  expect(settings).toMatchObject({
    Restart: 'always',
    KillMode: 'mixed',
    KillSignal: 'SIGTERM',
    TimeoutStopSec: String(60 * Number(minutes)),
  });
});

const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.skipIf(!hasSystemd)('systemd accepts it without a remark', () => {
  const directory = mkdtempSync(join(tmpdir(), 'unit-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const file = join(directory, 'animus.service');
  writeFileSync(file, UNIT);
  expect(execFileSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8', stdio: 'pipe' })).toBe('');
});
