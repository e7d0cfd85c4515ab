import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { connectOrOpenEmbedded } from '../../src/store/embedded/connect-embedded.ts';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { embeddedHome, temporaryHome } from '../support/database.ts';

const OWNER = fileURLToPath(new URL('../support/embedded-owner.ts', import.meta.url));

/** Starts an owner under load; `acknowledged` grows until it is killed. */
function startOwner(home: string) {
  const child: ChildProcess = spawn(process.execPath, [OWNER, home], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged: number[] = [];
  const waiting: (() => void)[] = [];
  const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  lines.on('line', (line) => {
    if (line !== 'ready') acknowledged.push(Number(line));
    for (const wake of waiting.splice(0)) wake();
  });
  return {
    acknowledged,
    /** Resolves when it has acknowledged this many rows. */
    async reached(rows: number): Promise<void> {
      while (acknowledged.length < rows) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await once(child, 'close');
    },
  };
}

test('an owner killed under load loses no acknowledged row and blocks nobody', { timeout: 120_000 }, async () => {
  const home = embeddedHome();
  const acknowledged = new Set<number>();
  for (const rows of [1, 40, 400]) {
    const owner = startOwner(home);
    await owner.reached(rows);
    await owner.kill();
    for (const n of owner.acknowledged) acknowledged.add(n);
  }
  const database = await openEmbedded({ home });
  const rows = await database.query<{ n: string }>('select n from acknowledged');
  await database.close();
  const kept = new Set(rows.map((row) => Number(row.n)));
  expect([...acknowledged].filter((n) => !kept.has(n))).toEqual([]);
});

test('while an owner runs, a second one is refused with its pid, and a command connects to it', {
  timeout: 60_000,
}, async () => {
  const home = embeddedHome();
  const owner = startOwner(home);
  await owner.reached(1);
  await expect(openEmbedded({ home })).rejects.toMatchObject({
    code: 'db.embedded_locked',
    details: { pid: expect.any(Number) },
  });
  const command = await connectOrOpenEmbedded({ home });
  expect(await command.query('select count(*) > 0 as rows from acknowledged')).toEqual([{ rows: true }]);
  await command.close();
  expect(statSync(`${home}/embedded.json`).mode & 0o777).toBe(0o600);
  expect(statSync(`${home}/db`).mode & 0o777).toBe(0o700);
  await owner.kill();
  // The file of the dead owner still contains its port, where nobody answers.
  const next = await connectOrOpenEmbedded({ home });
  expect(await next.query('select 1 as one')).toEqual([{ one: 1 }]);
  await next.close();
});

test('an owner killed at any moment of its first start blocks nobody', {
  timeout: 180_000,
}, async () => {
  const home = temporaryHome();
  for (const afterMs of [300, 1_500, 3_000]) {
    const child = spawn(process.execPath, [OWNER, home], { stdio: 'ignore' });
    await delay(afterMs);
    child.kill('SIGKILL');
    await once(child, 'close');
  }
  const database = await openEmbedded({ home });
  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  await database.close();
  expect(readdirSync(home).sort()).toEqual(['db', 'db.lock']);
});

test('if PGlite itself crashes, it is restarted and committed rows are there', { timeout: 120_000 }, async () => {
  const home = embeddedHome();
  const database = await openEmbedded({ home });
  await database.query('create table survivor (n int)');
  await database.query('insert into survivor values (1)');
  // The front does not recognise this form, so the data never arrives and PGlite exits.
  await expect(database.query('/* */ copy survivor from stdin')).rejects.toMatchObject({ code: 'db.unreachable' });
  await expect
    .poll(() => database.query('select n from survivor').catch(() => 'not yet'), { timeout: 60_000 })
    .toEqual([{ n: 1 }]);
  await database.close();
});

test('commands that race for a free directory all succeed, one after another or through the owner', async () => {
  const home = temporaryHome();
  const answers = await Promise.all(
    [1, 2, 3].map(async (n) => {
      const database = await connectOrOpenEmbedded({ home, waitMs: 30_000 });
      const [row] = await database.query('select $1::int as n', [n]);
      return { database, row };
    }),
  );
  expect(answers.map(({ row }) => row)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
  await Promise.all(answers.map(({ database }) => database.close()));
  expect(existsSync(`${home}/embedded.json`)).toBe(false);
}, 180_000);
