import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createVersionGuard } from '../../../src/daemon/presence/version-guard.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

test('a running daemon notices when the database requires a newer version, and only then', async () => {
  const guard = createVersionGuard(target.database, systemClock, 10);
  await guard.start();
  onTestFinished(() => guard.stop());
  const noticed = once(guard.outdated, 'abort');
  await target.database.query(`update animus.settings set value = '9999' where key = 'min_client'`);
  await noticed;
  expect(guard.outdated.reason).toMatchObject({ code: 'db.schema_newer', details: { needed: 9999 } });
});
