/** `animus work diff` on a terminal: the pager and the colours are those of the user's git. */
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testDatabase } from '../../../support/database.ts';
import { handOver } from '../../../support/handed-over.ts';
import { openTerminal } from '../../../support/terminal.ts';

const LAUNCHER = new URL('../../../../src/animus.js', import.meta.url).pathname;
const db = testDatabase();

test.each(['in its repository', 'from the stored patch'])('%s', async (from) => {
  const item = await handOver(db.database);
  if (from === 'from the stored patch') rmSync(item.repo, { recursive: true });
  writeFileSync(join(item.home, '.gitconfig'), `[core]\n\tpager = sed 's/^/page: /'\n`);
  const terminal = openTerminal(`${process.execPath} ${LAUNCHER} work diff ${item.id}`, {
    columns: 100,
    cwd: item.home,
    env: { PATH: process.env['PATH']!, HOME: item.home, ANIMUS_HOME: item.home, DATABASE_URL: db.connectionString },
  });
  expect(await terminal.ended).toBe(0);
  const lines = terminal.written().split('\r\n');
  expect(lines.filter((line) => line !== '').every((line) => line.startsWith('page: '))).toBe(true);
  expect(terminal.written()).toMatch(/page: \u001b\[32m\+(\u001b\[m\u001b\[32m)?line five\u001b/);
});
