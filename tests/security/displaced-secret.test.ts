import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { testDatabase } from '../support/database.ts';
import { at, bash, startSite } from './scripted-focus.ts';

const target = testDatabase();

test('with a decoy in place of a secret nothing is started, the work waits, and it continues when the secret is back', async () => {
  const site = await startSite(target, {
    calls: [bash('cat x/embedded.json'), ['read_file', { path: 'x/embedded.json' }]],
  });
  mkdirSync(at(site, 'home'), { recursive: true });
  writeFileSync(at(site, 'home/embedded.json'), '{"password": "hunter2"}');
  // The daemon records the existing secrets here.
  await site.run();
  renameSync(at(site, 'home'), at(site, 'x'));
  mkdirSync(at(site, 'home'));

  const id = await site.submit();
  const { outputs } = await site.until(id, 'scheduled');

  expect(outputs.join('\n')).not.toContain('hunter2');
  expect(site.daemon.lines.join('\n')).toMatch(
    /error .*home must stay hidden from commands and file tools, but it was moved away.*"at":".*\/x"/,
  );
  const [item] = await site.db.query('select attempts from animus.work_items where id = $1', [id]);
  expect(item).toMatchObject({ attempts: 0 });
  rmSync(at(site, 'home'), { recursive: true });
  renameSync(at(site, 'x'), at(site, 'home'));
});
