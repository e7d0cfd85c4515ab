import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** What the linter of `npm run check` says of these files. */
function lint(files: Readonly<Record<string, string>>) {
  const directory = mkdtempSync(join(tmpdir(), 'animus-lint-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  const program = ['node_modules/oxlint/bin/oxlint', '--config', 'oxlint.config.ts', '--deny-warnings', directory];
  const { status, stdout } = spawnSync(process.execPath, program, { encoding: 'utf8' });
  return { status, stdout };
}

const B = 'export interface B {\n  readonly n: number;\n}\n';

test('the check refuses a cycle of imports that only carry types', () => {
  const { status, stdout } = lint({
    'a.ts': "import type { B } from './b.ts';\n\nexport type A = B;\n",
    'b.ts': `export type { A } from './a.ts';\n\n${B}`,
  });
  expect(stdout).toContain('Dependency cycle detected');
  expect(status).toBe(1);
});

test('the check accepts imports of types in one direction', () => {
  const { status, stdout } = lint({ 'a.ts': "import type { B } from './b.ts';\n\nexport type A = B;\n", 'b.ts': B });
  expect(stdout).toContain('0 errors');
  expect(status).toBe(0);
});
