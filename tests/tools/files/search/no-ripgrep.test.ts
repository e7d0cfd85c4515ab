import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { setUpBench } from '../../tool-context.ts';

afterEach(() => {
  vi.doUnmock('@vscode/ripgrep');
  vi.resetModules();
});

test('where npm has no ripgrep for the platform, both tools say so, and what to do', async () => {
  vi.resetModules();
  vi.doMock('@vscode/ripgrep', () => {
    throw new Error('Cannot find package');
  });
  const { grepTool } = await import('../../../../src/tools/files/search/grep.ts');
  const { globTool } = await import('../../../../src/tools/files/search/glob.ts');
  const { call, workspace } = await setUpBench();
  await writeFile(join(workspace, 'a.txt'), 'needle\n');
  for (const output of [await call(grepTool, { pattern: 'needle' }), await call(globTool, { pattern: '**' })]) {
    expect(output.isError).toBe(true);
    expect(output.content).toContain(`no ripgrep for ${process.platform}-${process.arch}`);
    expect(output.content).toContain('Use bash');
  }
});
