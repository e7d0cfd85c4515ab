import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { scratch } from './commands.ts';
import { at, bash, hasNamespaces, startSite } from './scripted-focus.ts';

const target = testDatabase();
afterEach(() => vi.unstubAllEnvs());

test.skipIf(!hasNamespaces)(
  'commands see no file in a directory for secrets, configured or not, except certificates',
  async () => {
    const root = scratch();
    mkdirSync(join(root, 'credentials'));
    for (const name of ['anthropic', 'unknown', 'ca.pem'])
      writeFileSync(join(root, 'credentials', name), `geheim-${name}`);
    writeFileSync(join(root, 'token'), 'geheim-token');
    vi.stubEnv('CREDENTIALS_DIRECTORY', join(root, 'credentials'));
    vi.stubEnv('SSL_CERT_FILE', join(root, 'credentials/ca.pem'));
    vi.stubEnv('HOOK_TOKEN_FILE', join(root, 'token'));
    const site = await startSite(target, {
      calls: [bash(`cat ${root}/credentials/* ${root}/token; echo x > ${root}/credentials/ca.pem`)],
      tools: ['bash'],
    });
    const { outputs } = await site.run();
    expect(outputs[0]).toContain('geheim-ca.pem');
    expect(outputs[0]!.match(/geheim/g)).toHaveLength(1);
    expect(outputs[0]).toContain('Read-only file system');
  },
);

test.skipIf(!hasNamespaces)('a hook can read the secret file that it gets by name, and no other', async () => {
  const root = scratch();
  for (const name of ['mine', 'other']) writeFileSync(join(root, name), `geheim-${name}`);
  vi.stubEnv('MINE_TOKEN_FILE', join(root, 'mine'));
  vi.stubEnv('OTHER_TOKEN_FILE', join(root, 'other'));
  const site = await startSite(target, {
    calls: [bash(`cat ${root}/mine ${root}/other`)],
    config: '[hooks]\nenvironment = ["MINE_TOKEN_FILE"]\n',
    tables: '[faculty.orient]\ncommand = "../orient.sh"\n',
    files: { 'orient.sh': `#!/bin/sh\necho "{\\"context\\": \\"$(cat "$MINE_TOKEN_FILE" ${root}/other)\\"}"\n` },
  });
  const id = await site.submit();
  const { outputs } = await site.until(id, 'completed', 'dead');
  expect(outputs[0]).not.toContain('geheim');
  const [first] = await site.db.query<{ content: string }>(
    `select m.content from animus.focus_messages m join animus.foci f on f.id = m.focus_id where f.work_item_id = $1 and m.kind = 'orient'`,
    [id],
  );
  expect(first!.content).toContain('geheim-mine');
  expect(first!.content).not.toContain('geheim-other');
  expect(at(site, 'home')).toBeDefined();
});
