/** Promise: what is known of a feature before it is loaded is what it says itself. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FEATURES, loadFeatures } from '../../src/features/features.ts';

const features = await loadFeatures();

test('the features are the folders', () => {
  const folders = readdirSync(new URL('../../src/features', import.meta.url), { withFileTypes: true });
  const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  expect(features.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
});

test.each(FEATURES)('$commands are the commands of the feature', async ({ commands, load }) => {
  expect(Object.keys((await load()).commands ?? {})).toEqual(commands);
});

test.each(features)('$name describes only tags that its acts have', async ({ tags = {}, operations, readings }) => {
  const acts = [...((await operations?.(features)) ?? []), ...((await readings?.()) ?? [])];
  const used = new Set(acts.map(({ tag }) => tag));
  expect(Object.keys(tags).filter((tag) => !used.has(tag))).toEqual([]);
});
