/** The embedded database in a home that cannot be used, or on a disk that is read-only, too small, or fills up during work. */
import { chmodSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openEmbedded } from '../../../src/store/embedded/embedded.ts';
import { temporaryHome } from '../../support/database.ts';
import { mountSmallDisk } from '../../support/small-disk.ts';

const CANNOT_MOUNT = 'this user may not mount a disk';

test.for(['', '/sub/home'])('a home on a read-only disk is refused with advice: DISK%s', async (below, { skip }) => {
  const disk = mountSmallDisk('1m', 'ro') ?? skip(CANNOT_MOUNT);
  await expect(openEmbedded({ home: disk + below })).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringContaining('the file system is read-only; set ANIMUS_HOME'),
  });
});

test('a disk that is too small is reported as full', async ({ skip }) => {
  const disk = mountSmallDisk('3m') ?? skip(CANNOT_MOUNT);
  await expect(openEmbedded({ home: disk })).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringContaining('no space left on device'),
  });
});

test('a disk that fills up fails writes with the reason, and loses nothing', { timeout: 120_000 }, async ({ skip }) => {
  const disk = mountSmallDisk('200m') ?? skip(CANNOT_MOUNT);
  let database = await openEmbedded({ home: disk });
  await database.query('create table kept (n int, filling text)');
  await database.query('insert into kept values (1, null)');
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(`${disk}/filling`, Buffer.alloc((bavail - 64) * bsize));

  let acknowledged = 1;
  const fill = async (): Promise<never> => {
    for (;;) {
      await database.query(
        `insert into kept select $1, string_agg(md5(random()::text), '') from generate_series(1, 20000)`,
        [acknowledged + 1],
      );
      acknowledged++;
    }
  };
  await expect(fill()).rejects.toMatchObject({ code: 'db.unreachable' });

  rmSync(`${disk}/filling`);
  const rows = async () => database.query('select n from kept order by n').catch(() => null);
  await expect.poll(rows, { timeout: 30_000 }).toHaveLength(acknowledged);
  await database.query('insert into kept values (0, null)');
  await database.close();
  database = await openEmbedded({ home: disk });
  expect(await database.query('select count(*)::int as n from kept')).toEqual([{ n: acknowledged + 1 }]);
  await database.close();
});

test('a home that cannot be used is refused with advice', async () => {
  const home = temporaryHome();
  writeFileSync(`${home}/file`, '');
  await expect(openEmbedded({ home: `${home}/file/home` })).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringContaining('a part of the path is a file'),
  });
});

test.skipIf(process.getuid?.() === 0)('a home that is not writable is refused with what to do', async () => {
  const home = temporaryHome();
  chmodSync(home, 0o500);
  await expect(openEmbedded({ home })).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringContaining('writable'),
  });
  chmodSync(home, 0o700);
});
