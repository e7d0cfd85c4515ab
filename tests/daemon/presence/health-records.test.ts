import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { healthAddresses, recordHealth } from '../../../src/daemon/presence/health-records.ts';

const HERE = { host: '127.0.0.1', port: 7717 };

test('a home lists the addresses of its running daemons, each once', () => {
  const home = scratch();
  expect(healthAddresses(home)).toEqual([]);
  const removals = [recordHealth(home, 'a', HERE), recordHealth(home, 'b', { ...HERE, port: 7718 })];
  recordHealth(home, 'c', HERE);
  expect(healthAddresses(home).map(({ port }) => port)).toEqual([7717, 7718]);
  removals[1]!();
  expect(healthAddresses(home)).toEqual([HERE]);
});

test('records of dead processes are ignored, and removed by the next daemon; incomplete ones are ignored', () => {
  const home = scratch();
  recordHealth(home, 'dead', HERE);
  const file = join(home, 'health', 'dead.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(`/${process.pid}/`, '/999999999/'));
  writeFileSync(join(home, 'health', 'half.json'), '{"pid":');
  expect(healthAddresses(home)).toEqual([]);
  recordHealth(home, 'new', HERE);
  expect(readdirSync(join(home, 'health')).toSorted()).toEqual(['half.json', 'new.json']);
});

test('a daemon that this process cannot see keeps its record: in another container or on another host that shares the home', () => {
  const home = scratch();
  recordHealth(home, 'elsewhere', HERE);
  const file = join(home, 'health', 'elsewhere.json');
  const record = JSON.parse(readFileSync(file, 'utf8')) as { process: string };
  const [boot, namespace, , ticks] = record.process.split('/');
  // The first pid namespace has the same number on every host.
  for (const place of [`${boot}/1`, `another-boot/${namespace}`]) {
    for (const pid of [process.pid, 999_999_999]) {
      writeFileSync(file, JSON.stringify({ ...record, process: `${place}/${pid}/${ticks}` }));
      recordHealth(home, 'here', { ...HERE, port: 7718 });
      expect(readdirSync(join(home, 'health'))).toContain('elsewhere.json');
      expect(healthAddresses(home).map(({ port }) => port)).toEqual([7718]);
    }
  }
});

test('a process that has the pid of a dead daemon is not asked in its place', () => {
  const home = scratch();
  recordHealth(home, 'dead', HERE);
  const file = join(home, 'health', 'dead.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/\/\d+"/, '/1"'));
  expect(healthAddresses(home)).toEqual([]);
});

function scratch(): string {
  const home = mkdtempSync(join(tmpdir(), 'health-records-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return home;
}
