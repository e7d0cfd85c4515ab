import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { grepTool } from '../../src/tools/files/search/grep.ts';
import { setUpBench } from '../tools/tool-context.ts';

test('a search runs the ripgrep of animus, not a program that an agent put where PATH looks', async () => {
  const bench = await setUpBench();
  mkdirSync(join(bench.workspace, 'bin'));
  const planted = join(bench.workspace, 'bin/rg');
  writeFileSync(planted, '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n');
  chmodSync(planted, 0o755);
  const before = process.env['PATH'];
  process.env['PATH'] = `${join(bench.workspace, 'bin')}:${before}`;
  try {
    expect((await bench.call(grepTool, { pattern: 'touch', output: 'files' })).content).toBe('bin/rg');
  } finally {
    process.env['PATH'] = before;
  }
  expect(existsSync(join(bench.workspace, 'bin/ran'))).toBe(false);
});
