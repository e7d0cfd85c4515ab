import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { prepareFirstStart } from '../../src/store/embedded/embedded-directory.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { at, bash, hasNamespaces, startSite } from './scripted-focus.ts';

const target = testDatabase();

describe('no file that an agent can write leads to the loss of the embedded database', () => {
  test.skipIf(!hasNamespaces)(
    'commands and file tools cannot create the mark of a first start, or remove the lock',
    async () => {
      const site = await startSite(target, {
        calls: [
          bash(
            'touch home/db.first-start; rm -f home/db.lock; : > home/db.lock; mv home/db.lock x; ls -a home; echo end',
          ),
          ['write_file', { path: 'home/db.first-start', content: '' }],
          ['write_file', { path: 'home/db.lock', content: '' }],
          ['apply_patch', { patch: '*** Begin Patch\n*** Delete File: home/db.lock\n*** End Patch' }],
          ['apply_patch', { patch: '*** Begin Patch\n*** Add File: home/db.first-start\n+x\n*** End Patch' }],
        ],
      });
      mkdirSync(at(site, 'home'), { recursive: true });
      writeFileSync(at(site, 'home/db.lock'), 'lock');
      const { outputs } = await site.run();
      expect(outputs[0]).toContain('end');
      for (const output of outputs.slice(1)) expect(output).toContain('is not accessible to tools');
      expect(readdirSync(at(site, 'home')).filter((name) => name.startsWith('db.'))).toEqual(['db.lock']);
    },
  );

  test('a mark that is newer than the database does not empty it', async () => {
    const home = emptyHome();
    const cluster = join(home, 'db/PG_VERSION');
    writeFileSync(cluster, '17\n');
    const mark = join(home, 'db.first-start');
    await eventually('the clock of the file system has moved on', async () => {
      writeFileSync(mark, '');
      return statSync(mark).ctimeMs > statSync(cluster).ctimeMs || null;
    });
    utimesSync(mark, new Date(0), new Date(0));
    prepareFirstStart(home, join(home, 'db'));
    expect(existsSync(cluster)).toBe(true);
    expect(existsSync(mark)).toBe(false);
  });

  test('an incomplete database, created after its mark, is removed', () => {
    const home = emptyHome();
    prepareFirstStart(home, join(home, 'db'));
    writeFileSync(join(home, 'db/PG_VERSION'), '17\n');
    prepareFirstStart(home, join(home, 'db'));
    expect(readdirSync(join(home, 'db'))).toEqual([]);
    expect(existsSync(join(home, 'db.first-start'))).toBe(true);
  });
});

function emptyHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'animus-home-'));
  onTestFinished(() => rmSync(home, { recursive: true }));
  mkdirSync(join(home, 'db'));
  return home;
}
