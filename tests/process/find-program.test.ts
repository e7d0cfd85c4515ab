import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findProgram, scriptProblem } from '../../src/process/find-program.ts';

test('finds what execvp would find, and nothing that cannot be executed', () => {
  const directory = mkdtempSync(join(tmpdir(), 'animus-path-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const tool = join(directory, 'tool');
  writeFileSync(tool, '#!/bin/sh\n', { mode: 0o644 });
  expect(findProgram('tool', `/nowhere:${directory}`, '/')).toBeNull();
  chmodSync(tool, 0o755);
  expect(findProgram('tool', `/nowhere:${directory}`, '/')).toBe(tool);
  expect(findProgram('./tool', '/nowhere', directory)).toBe(tool);
  expect(findProgram(tool, '', '/')).toBe(tool);
  expect(findProgram(directory, '', '/')).toBeNull();
});

test('reports no problem for binaries, for scripts that can run, and for files that cannot be read', () => {
  expect(scriptProblem(process.execPath)).toBeNull();
  expect(scriptProblem('/no/such/file')).toBeNull();
  const directory = mkdtempSync(join(tmpdir(), 'animus-script-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const script = join(directory, 'script');
  for (const text of ['#!/bin/sh', '#! /usr/bin/env -S node --x\nfoo', `#!/bin/sh\n${'\r\n'.repeat(500)}`]) {
    writeFileSync(script, text);
    expect(scriptProblem(script)).toBeNull();
  }
});
