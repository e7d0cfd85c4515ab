import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type Faculties, loadFaculties } from '../../../src/catalog/faculties.ts';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { watchFaculties } from '../../../src/daemon/reload/reload.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { temporaryHome } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const home = temporaryHome();
const POLL_NEVER_MS = 3_600_000;

test('a file that appears, changes or is removed is noticed at once, however the editor saves it', async () => {
  const { current, write, directory } = await setUp({ a: 'one' });
  write('b', 'two');
  await eventually('b is there', () => (promptOf(current(), 'b') === 'two' ? true : null));
  // As vim and others save: a new file takes the name of the old one.
  writeFileSync(join(directory, '.a.swp'), toml('a', 'changed'));
  renameSync(join(directory, '.a.swp'), join(directory, 'a.toml'));
  await eventually('a is changed', () => (promptOf(current(), 'a') === 'changed' ? true : null));
  rmSync(join(directory, 'b.toml'));
  await eventually('b is gone', () => (current().faculties.has('b') ? null : true));
  expect([...current().faculties.keys()]).toEqual(['a']);
});

test('a broken file keeps its last valid version and is reported until it is fixed', async () => {
  const { current, write, directory } = await setUp({ a: 'one', b: 'two' });
  writeFileSync(join(directory, 'a.toml'), '[faculty\n');
  await eventually('the problem is told', () => (current().problems.length === 1 ? true : null));
  expect(promptOf(current(), 'a')).toBe('one');
  expect(current().problems[0]!.message).toContain('a.toml:1: invalid TOML');
  write('b', 'new');
  await eventually('b is changed', () => (promptOf(current(), 'b') === 'new' ? true : null));
  expect(promptOf(current(), 'a')).toBe('one');
  write('a', 'mended');
  await eventually('a is mended', () => (promptOf(current(), 'a') === 'mended' ? true : null));
  expect(current().problems).toEqual([]);
});

test('the log says of a broken file whether a good version stays or nothing was loaded', async () => {
  const { logged, directory } = await setUp({ a: 'one' });
  writeFileSync(join(directory, 'new.toml'), '[faculty\n');
  await eventually('new is told', () => logged.find((line) => line.includes('new.toml')) ?? null);
  writeFileSync(join(directory, 'a.toml'), '[faculty\n');
  await eventually('a is told', () => logged.find((line) => line.includes('a.toml')) ?? null);
  // Still broken, in another way: there was never a good version.
  writeFileSync(join(directory, 'new.toml'), '[faculty]\nname = "new"\n');
  await eventually('new is told again', () => (logged.length === 3 ? true : null));
  expect(logged.map((line) => line.replace(/: .*\/(\w+\.toml).*/, ' $1'))).toEqual([
    'faculty not loaded new.toml',
    'a faculty file is broken; its last good version stays a.toml',
    'faculty not loaded new.toml',
  ]);
});

test('a second file with the same name does not remove the first one', async () => {
  const { current, directory } = await setUp({ b: 'one' });
  writeFileSync(join(directory, 'c.toml'), toml('b', 'other'));
  await eventually('the problem is told', () => (current().problems.length === 1 ? true : null));
  expect(promptOf(current(), 'b')).toBe('one');
  rmSync(join(directory, 'b.toml'));
  await eventually('the other one counts', () => (promptOf(current(), 'b') === 'other' ? true : null));
});

test('a file that is renamed to another faculty counts only as that faculty', async () => {
  const { current, directory } = await setUp({ a: 'one' });
  writeFileSync(join(directory, 'a.toml'), toml('z', 'one'));
  await eventually('z is there', () => (current().faculties.has('z') ? true : null));
  expect([...current().faculties.keys()]).toEqual(['z']);
});

test('polling finds changes that the watch misses: prompt files, and a replaced directory', async () => {
  const { current, directory } = await setUp({}, { pollMs: 50, prompts: { p: 'first' } });
  writeFileSync(join(directory, 'prompts/p.md'), 'second');
  await eventually('the prompt is read again', () => (promptOf(current(), 'p') === 'second' ? true : null));
  renameSync(directory, `${directory}.old`);
  await eventually('the directory is missed', () => (current().problems.length > 0 ? true : null));
  mkdirSync(directory);
  writeFileSync(join(directory, 'n.toml'), toml('n', 'new'));
  await eventually('the new directory counts', () => (promptOf(current(), 'n') === 'new' ? true : null));
});

test('a change that could not be applied is retried', async () => {
  const { current, write } = await setUp({ a: 'one' }, { pollMs: 50, failures: 2 });
  write('a', 'two');
  await eventually('it is taken over', () => (promptOf(current(), 'a') === 'two' ? true : null));
});

interface Given {
  readonly pollMs?: number;
  readonly prompts?: Record<string, string>;
  readonly failures?: number;
}

async function setUp(files: Record<string, string>, given: Given = {}) {
  const directory = join(home, crypto.randomUUID());
  mkdirSync(join(directory, 'prompts'), { recursive: true });
  const write = (name: string, prompt: string) => writeFileSync(join(directory, `${name}.toml`), toml(name, prompt));
  for (const [name, prompt] of Object.entries(files)) write(name, prompt);
  for (const [name, prompt] of Object.entries(given.prompts ?? {})) {
    writeFileSync(join(directory, `prompts/${name}.md`), prompt);
    writeFileSync(
      join(directory, `${name}.toml`),
      toml(name, '').replace('system_prompt = ""', `system_prompt_file = "prompts/${name}.md"`),
    );
  }
  const load = async () => loadFaculties(directory, { toolNames: [] });
  let current: Faculties = await load();
  let failures = given.failures ?? 0;
  const logged: string[] = [];
  const watching = watchFaculties({
    directory,
    initial: current,
    load,
    onChange: async (faculties) => {
      if (failures-- > 0) throw new Error('the database is away');
      current = faculties;
    },
    clock: systemClock,
    log: { ...silentLog, error: (_, message) => void logged.push(message) },
    pollMs: given.pollMs ?? POLL_NEVER_MS,
  });
  await watching.start();
  onTestFinished(() => watching.stop());
  return { current: () => current, write, directory, logged };
}

function toml(name: string, prompt: string): string {
  return `[faculty]\nname = "${name}"\n[faculty.engage]\nmodel = "m"\nsystem_prompt = ${JSON.stringify(prompt)}\n`;
}

function promptOf({ faculties }: Faculties, name: string): string | undefined {
  return faculties.get(name)?.engage.systemPrompt;
}
