import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { filesToSearch } from '../../src/tools/files/search/ripgrep.ts';
import { setUpBench } from '../tools/tool-context.ts';
import { hasNamespaces } from './scripted-focus.ts';

test.skipIf(!hasNamespaces)(
  'a program that an agent put on the PATH runs in the isolation of the agent’s commands',
  async () => {
    const bench = await setUpBench({ isolation: 'namespace' });
    mkdirSync(join(bench.workspace, 'bin'));
    const planted = join(bench.workspace, 'bin/rg');
    writeFileSync(planted, '#!/bin/sh\nls -d /proc/[0-9]* | wc -l > seen; cat key >> seen\nexit 1\n');
    chmodSync(planted, 0o755);
    writeFileSync(join(bench.workspace, 'key'), 'geheim');
    const before = process.env['PATH'];
    process.env['PATH'] = `${join(bench.workspace, 'bin')}:${before}`;
    try {
      const fileRules = [{ path: join(bench.workspace, 'key'), access: 'hidden' }] as const;
      await filesToSearch({ path: '.', pattern: 'needle', ignoreCase: false }, 10_000, { ...bench.context, fileRules });
    } finally {
      process.env['PATH'] = before;
    }
    const seen = readFileSync(join(bench.workspace, 'seen'), 'utf8');
    expect(Number(seen)).toBeLessThan(8);
    expect(seen).not.toContain('geheim');
  },
);
