/** Promise: what is known of a feature before it is loaded is what it says itself. */
import { readdirSync } from 'node:fs';
import { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../src/cli/program.ts';
import { FEATURES, loadFeatures, loadStatusFeatures } from '../../src/features/features.ts';

const features = await loadFeatures();

test('the features are the folders', () => {
  const folders = readdirSync(new URL('../../src/features', import.meta.url), { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(features.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test.each(FEATURES)('$commands are the commands of the feature', async ({ commands, load }) => {
  expect(Object.keys((await load()).commands ?? {})).toEqual(commands);
});

test('those with a part in the status are listed as such', async () => {
  const parts = features.filter(({ status }) => status !== undefined);
  expect((await loadStatusFeatures()).map(({ name }) => name)).toEqual(parts.map(({ name }) => name));
  expect(parts.length).toBeGreaterThan(0);
});

test.each(features)('$name describes only tags that its acts have', async ({ tags = {}, operations, readings }) => {
  const acts = [...((await operations?.(features)) ?? []), ...((await readings?.()) ?? [])];
  const used = new Set(acts.map(({ tag }) => tag));
  expect(Object.keys(tags).filter((tag) => !used.has(tag))).toEqual([]);
});

test.each(features)(
  'a command of $name that is loaded alone has the name by which it is asked for',
  async ({ commands = {} }) => {
    for (const { one = {} } of Object.values(commands)) {
      for (const [name, load] of Object.entries(one)) {
        const group = new Command();
        (await load())(group, () => async () => {});
        expect(group.commands.map((command) => command.name())).toEqual([name]);
      }
    }
  },
);

test('a command of a group that is loaded alone is there without the others, with the same options', async () => {
  const run = () => async () => {};
  const work = async (words?: readonly string[]) => {
    const program = await buildProgram(run, { stdout: process.stdout }, words);
    return program.commands.find((command) => command.name() === 'work')!.commands;
  };
  const [alone, all] = [await work(['work', 'list']), await work()];
  expect(alone.map((command) => command.name())).toEqual(['list']);
  expect(alone[0]!.helpInformation()).toBe(all.find((command) => command.name() === 'list')!.helpInformation());
  expect((await work(['work', 'nothing'])).length).toBe(all.length);
  expect((await work(['work', 'constructor'])).length).toBe(all.length);
});
