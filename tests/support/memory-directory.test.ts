import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { memoryDirectory, removeLeftDirectories } from './memory-directory.ts';

test.skipIf(process.platform !== 'linux')(
  'what a killed run has left is removed by the next one, and nothing else',
  () => {
    const mine = memoryDirectory('home');
    const { pid } = spawnSync('true');
    const left = mine.replace(`-${process.pid}-`, `-${pid}-`);
    const elsewhere = left.replace(/home-\d+/, 'home-1');
    for (const directory of [left, elsewhere]) mkdirSync(directory);
    onTestFinished(() => [mine, elsewhere].forEach((directory) => rmSync(directory, { recursive: true })));
    removeLeftDirectories();
    expect([mine, left, elsewhere].map((directory) => existsSync(directory))).toEqual([true, false, true]);
  },
);
