import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { testApi } from '../../support/api.ts';

const PAGE = readFileSync(new URL('../../../docs/conversations.md', import.meta.url), 'utf8');
const { start } = testApi();

test.skipIf(spawnSync('curl', ['--version']).status !== 0)('the examples of docs/conversations.md run', async () => {
  const { url, tokenOf } = await start();
  const blocks = [...PAGE.matchAll(/^```bash\n([^]*?)^```$/gm)].map(([, text]) => text);
  expect(blocks.length).toBeGreaterThan(3);
  const cwd = mkdtempSync(join(tmpdir(), 'animus-curl-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const env = { PATH: process.env['PATH'], URL: `${url}/api/v1`, TOKEN: await tokenOf('alice') };
  const { stdout } = await promisify(execFile)('bash', ['-c', `set -euo pipefail\n${blocks.join('\n')}`], { cwd, env });
  expect(stdout).toContain('"told":false');
  expect(stdout).toMatch(/^304$/m);
  expect(stdout).toMatch(/"content":"What do the tests do\?".*\n$/);
});
