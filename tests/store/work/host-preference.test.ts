import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { startConversation } from '../../../src/features/conversations/store/conversations.ts';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { createWorkspace } from '../../../src/features/conversations/store/workspaces.ts';
import { startFocus } from '../../../src/store/transcript/focus-row.ts';
import { registerDaemon } from '../../../src/store/work/daemons.ts';
import {
  type ClaimedWork,
  claimWork,
  completeWork,
  extendLeases,
  failWork,
  releaseWork,
} from '../../../src/store/work/work.ts';
import { type DatabaseClock, fakeDatabaseClock } from '../../support/clock.ts';
import { testDatabase } from '../../support/database.ts';
import { emptyQueue, insertWork } from './queue-driver.ts';

const GRACE_SECONDS = 100;
const LEASE_SECONDS = 30;
const target = testDatabase();
let clock: DatabaseClock;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database);
});
beforeEach(async () => {
  await emptyQueue(target.database);
  await target.database.query('delete from animus.daemons');
});

test('a queued item is reserved for the host of its focus during the grace period, and resumes anywhere after it', async () => {
  const [home, away] = [await daemonOn('home'), await daemonOn('away')];
  const work = await beginOn(home, 'home');
  await releaseWork(target.database, work, { delaySeconds: 0, reason: 'drain', cause: 'test' });
  await insertWork(target.database, { description: 'new' });
  // It does not block items that others may claim.
  const [fresh, ...more] = await claimAs(away);
  expect([fresh!.description, more]).toEqual(['new', []]);
  await completeWork(target.database, fresh!, {}, null);
  expect(await claimedBy(home)).toEqual([work.id]);

  await releaseWork(target.database, await leaseOf(work.id), { delaySeconds: 0, reason: 'drain', cause: 'test' });
  await clock.advance(GRACE_SECONDS - 1);
  await seen(home);
  expect(await claimedBy(away)).toEqual([]);
  await clock.advance(2);
  expect(await claimedBy(away)).toEqual([work.id]);
});

test('another daemon of the same host may claim it at once', async () => {
  const work = await beginOn(await daemonOn('home'), 'home');
  await releaseWork(target.database, work, { delaySeconds: 0, reason: 'drain', cause: 'test' });
  expect(await claimedBy(await daemonOn('home'))).toEqual([work.id]);
});

test('a host without any live daemon during the grace period is no longer waited for', async () => {
  const [home, away] = [await daemonOn('home'), await daemonOn('away')];
  const work = await beginOn(home, 'home');
  await clock.advance(GRACE_SECONDS + 1);
  await releaseWork(target.database, work, { delaySeconds: 0, reason: 'drain', cause: 'test' });
  expect(await claimedBy(away)).toEqual([work.id]);
});

test('an expired lease is taken over on its host at once, elsewhere after the grace period', async () => {
  const [home, away] = [await daemonOn('home'), await daemonOn('away')];
  const work = await beginOn(home, 'home');
  await clock.advance(LEASE_SECONDS + 1);
  await seen(home);
  expect(await claimedBy(away)).toEqual([]);
  await clock.advance(GRACE_SECONDS);
  expect(await claimedBy(away)).toEqual([work.id]);
});

test('a cancelled item whose daemon is gone is ended by any daemon', async () => {
  const [home, away] = [await daemonOn('home'), await daemonOn('away')];
  const work = await beginOn(home, 'home');
  await target.database.query('select animus.cancel_work($1)', [work.id]);
  await clock.advance(LEASE_SECONDS + 1);
  await seen(home);
  expect(await claimedBy(away)).toEqual([]);
  const [row] = await target.database.query('select state from animus.work_items where id = $1', [work.id]);
  expect(row).toEqual({ state: 'cancelled' });
});

test('nothing is reserved for a host if the focus has ended or works in a workspace', async () => {
  const [home, away] = [await daemonOn('home'), await daemonOn('away')];
  const ended = await beginOn(home, 'home');
  await failWork(target.database, ended, { code: 'x', message: 'x' }, 0, 'ledger');
  expect(await claimedBy(away)).toEqual([ended.id]);
  const shared = await beginOn(home, 'home', { workspace: '/srv/data' });
  await releaseWork(target.database, shared, { delaySeconds: 0, reason: 'drain', cause: 'test' });
  expect(await claimedBy(away)).toEqual([shared.id]);
});

test('a consumer that gives no grace period gets two minutes', async () => {
  const [home, away] = [await daemonOn('home'), await daemonOn('away')];
  const work = await beginOn(home, 'home');
  await releaseWork(target.database, work, { delaySeconds: 0, reason: 'drain', cause: 'test' });
  const plain = { engineer: { max: 9, max_attempts: 3, dedup_until: 'resolved' as const } };
  await clock.advance(119);
  await seen(home);
  expect(await claimWork(target.database, away, plain, 9, LEASE_SECONDS)).toEqual([]);
  await clock.advance(2);
  expect(await claimWork(target.database, away, plain, 9, LEASE_SECONDS)).toMatchObject([{ id: work.id }]);
});

test('the next answer of a conversation is left to the host of the answer before, also if it had to wait for it', async () => {
  const [home, away] = [await daemonOn('home'), await daemonOn('away')];
  const chat = await chatOf();
  const say = async () => (await sayInConversation(target.database, chat, 'x')).workItemId;
  await say();
  await completeWork(target.database, await startOn(home, 'home'), {}, null);
  const second = await say();
  expect(await claimedBy(away)).toEqual([]);
  await clock.advance(GRACE_SECONDS + 1);
  await seen(home);
  // Said long ago, but it could not begin.
  const third = await say();
  const work = await startOn(home, 'home', {}, second);
  await completeWork(target.database, work, {}, null);
  expect(await claimedBy(away)).toEqual([]);
  await clock.advance(GRACE_SECONDS - 1);
  await seen(home);
  expect(await claimedBy(away)).toEqual([]);
  await clock.advance(2);
  await seen(home);
  expect(await claimedBy(away)).toEqual([third]);
});

test('an answer is left to no host where nobody is, where the faculty has a workspace, and after a first message', async () => {
  const [home, away] = [await daemonOn('home'), await daemonOn('away')];
  for (const { workspace, gone } of [{ workspace: '/srv/data' }, { gone: true }] as {
    workspace?: string;
    gone?: true;
  }[]) {
    const chat = await chatOf();
    await sayInConversation(target.database, chat, 'x');
    await completeWork(target.database, await startOn(home, 'home', workspace ? { workspace } : {}), {}, null);
    if (gone) await clock.advance(GRACE_SECONDS + 1);
    const { workItemId } = await sayInConversation(target.database, chat, 'x');
    expect(await claimedBy(away)).toEqual([workItemId]);
    await emptyQueue(target.database);
  }
});

async function chatOf(): Promise<string> {
  return startConversation(target.database, {
    workspaceId: await createWorkspace(target.database, 'default'),
    faculty: 'engineer',
  });
}

async function daemonOn(host: string): Promise<string> {
  const id = randomUUID();
  const daemon = { id, host, pid: 1, version: '1', maxConcurrent: 9, faculties: {}, problems: [] };
  await registerDaemon(target.database, daemon);
  return id;
}

/** Sends its heartbeat. */
async function seen(daemonId: string): Promise<void> {
  await extendLeases(target.database, daemonId, [], LEASE_SECONDS);
}

function claimAs(daemonId: string): Promise<ClaimedWork[]> {
  const engineer = {
    max: 9,
    max_attempts: 3,
    dedup_until: 'resolved' as const,
    host_grace_seconds: GRACE_SECONDS,
  };
  return claimWork(target.database, daemonId, { engineer }, 9, LEASE_SECONDS);
}

async function claimedBy(daemonId: string): Promise<string[]> {
  return (await claimAs(daemonId)).map((work) => work.id);
}

/** An item with a focus that has started on the host. */
async function beginOn(daemonId: string, host: string, facultySnapshot: object = {}): Promise<ClaimedWork> {
  await insertWork(target.database);
  return startOn(daemonId, host, facultySnapshot);
}

/** What the daemon of the host claims, with a focus. */
async function startOn(
  daemonId: string,
  host: string,
  facultySnapshot: object = {},
  id?: string,
): Promise<ClaimedWork> {
  const [work] = await claimAs(daemonId);
  if (id !== undefined) expect(work!.id).toBe(id);
  await startFocus(target.database, work!, {
    host,
    directoryRoot: '/tmp',
    facultySnapshot,
    systemPrompt: 'You test.',
    tools: [],
  });
  return work!;
}

async function leaseOf(id: string): Promise<{ readonly id: string; readonly leaseToken: string }> {
  const [row] = await target.database.query<{ id: string; leaseToken: string }>(
    'select id, lease_token as "leaseToken" from animus.work_items where id = $1',
    [id],
  );
  return row!;
}
