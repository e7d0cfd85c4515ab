import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../../../src/catalog/config/load-config.ts';
import { inScratchHome } from '../../../src/cli/scratch/one-item.ts';

test('a run in a scratch home sends nothing to the provider of embeddings', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'scratch-home-'));
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }));
  const toml = '[embeddings]\nprovider = "openai"\nmodel = "text-embedding-3-small"\ndimensions = 384\n';
  writeFileSync(join(cwd, 'animus.toml'), toml);
  const config = loadConfig({ env: { HOME: cwd, OPENAI_API_KEY: 'k' }, cwd });
  expect(config.embeddings).not.toBe(null);
  expect(inScratchHome(config, cwd).embeddings).toBe(null);
});
