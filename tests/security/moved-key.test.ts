import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { bash, hasNamespaces, startSite } from './scripted-focus.ts';

const target = testDatabase();
afterEach(() => vi.unstubAllEnvs());

test.skipIf(!hasNamespaces)(
  'no command can move the directories above a key file so that the next one could read it',
  async () => {
    const { key, root } = keyFile();
    const { outputs } = await (
      await startSite(target, {
        calls: [
          bash(
            `mv ${root}/a ${root}/x; mv ${root}/a/b ${root}/a/x; mv ${root} ${root}.x; mv ${key} ${root}/k; rm -f ${key}; ln ${key} ${root}/linked`,
          ),
          bash(`mkdir -p ${root}/a/b; echo decoy > ${key}; cat ${key}; find ${root} ${root}.x -type f -exec cat {} +`),
        ],
      })
    ).run();
    expect(outputs.join('\n')).not.toContain('first-secret');
    expect(outputs[0]?.match(/Device or resource busy/g)?.length).toBeGreaterThanOrEqual(3);
  },
);

test.skipIf(!hasNamespaces)('a key file that its owner replaces stays hidden, and nothing is stopped', async () => {
  const { key, root } = keyFile();
  const site = await startSite(target, { calls: [bash(`cat ${key}; ls ${root}/a/b; echo went on`)] });
  expect((await site.run()).outputs[0]).toContain('went on');
  writeFileSync(join(root, 'new'), 'second-secret', { mode: 0o600 });
  renameSync(join(root, 'new'), key);
  const { outputs, state } = await site.run();
  expect(state).toBe('completed');
  expect(outputs[0]).toContain('went on');
  expect(outputs[0]).not.toContain('secret');
});

function keyFile() {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'animus-keys-')));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'a/b'), { recursive: true });
  const key = join(root, 'a/b/key');
  writeFileSync(key, 'first-secret', { mode: 0o600 });
  vi.stubEnv('ANTHROPIC_API_KEY_FILE', key);
  return { key, root };
}
