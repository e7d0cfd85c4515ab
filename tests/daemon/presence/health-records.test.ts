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
  writeFileSync(file, readFileSync(file, 'utf8').replace(`"pid":${process.pid}`, '"pid":999999999'));
  writeFileSync(join(home, 'health', 'half.json'), '{"pid":');
  expect(healthAddresses(home)).toEqual([]);
  recordHealth(home, 'new', HERE);
  expect(readdirSync(join(home, 'health')).toSorted()).toEqual(['half.json', 'new.json']);
});

test('a daemon in another container that shares the home keeps its record, even if its pid is in use here', () => {
  const home = scratch();
  recordHealth(home, 'elsewhere', HERE);
  const file = join(home, 'health', 'elsewhere.json');
  const there = { ...JSON.parse(readFileSync(file, 'utf8')), space: 'pid:[1]' };
  for (const pid of [process.pid, 999_999_999]) {
    writeFileSync(file, JSON.stringify({ ...there, pid }));
    recordHealth(home, 'here', { ...HERE, port: 7718 });
    expect(readdirSync(join(home, 'health'))).toContain('elsewhere.json');
    expect(healthAddresses(home).map(({ port }) => port)).toEqual([7718]);
  }
});

function scratch(): string {
  const home = mkdtempSync(join(tmpdir(), 'health-records-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  return home;
}
