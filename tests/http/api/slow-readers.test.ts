/** Clients that ask and then take next to nothing, and servers that end meanwhile. */
import { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { limitConnections } from '../../../src/http/connections.ts';
import { testApi } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { closed, connected } from '../../support/raw-socket.ts';

const { start, owner } = testApi();

/** An item of alice with a file of 8 MiB, and what a list of much is. */
async function large(call: Awaited<ReturnType<typeof start>>['call']): Promise<{ file: string; list: string }> {
  const { body: item } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  const [file] = await owner().query<{ id: string }>(
    `insert into animus.artifacts (id, work_item_id, name, media_type, bytes, content, created_at)
     select gen_random_uuid(), $1, 'a', 'text/plain', length(c), c, now() from (select convert_to(repeat('0123456789abcdef', 524288), 'UTF8') as c) c
     returning id`,
    [item.id],
  );
  await owner().query(
    `select animus.append_ledger($1, 'note', repeat(md5(n::text), 1000)) from generate_series(1, 200) n`,
    [item.id],
  );
  return { file: `/artifacts/${file!.id}`, list: `/work/${item.id}/ledger?limit=200` };
}

test.each(['file', 'list'] as const)('a reader that stops reading a %s is cut', async (what) => {
  const { call, url, tokenOf } = await start({ slowestReaderMs: 200 });
  const path = (await large(call))[what];
  const slow = await connected(url);
  slow.pause();
  slow.on('error', () => {});
  slow.write(
    `GET /api/v1${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${await tokenOf('alice')}\r\n\r\n`,
  );
  // A connection that the other side has left refuses what is sent.
  await eventually('the server has cut it', () => {
    slow.write('x');
    return slow.destroyed ? true : null;
  });
  expect((await call('alice', 'GET', '/me')).status).toBe(200);
});

test('a reader that takes its time gets all of it', async () => {
  const { call, url, tokenOf } = await start({ slowestReaderMs: 1000 });
  const { list } = await large(call);
  const slow = await connected(url);
  slow.write(
    `GET /api/v1${list} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nauthorization: Bearer ${await tokenOf('alice')}\r\n\r\n`,
  );
  const answer = await closed(slow);
  expect(answer).toMatch(/^HTTP\/1.1 200/);
  const bytes = Number(/^content-length: (\d+)$/im.exec(answer)?.[1]);
  expect(bytes).toBeGreaterThan(6_400_000);
  expect(Buffer.byteLength(answer.slice(answer.indexOf('\r\n\r\n') + 4))).toBe(bytes);
});

test('one connection too many closes the oldest of the address that has most', () => {
  const ended: string[] = [];
  const connections = limitConnections(4);
  const connect = (remoteAddress: string, name: string) => {
    const socket = Object.assign(new EventEmitter(), { remoteAddress, destroy: () => void ended.push(name) });
    connections.add(socket as unknown as Socket);
  };
  connect('10.0.0.2', 'lone');
  for (const name of ['m1', 'm2', 'm3', 'm4', 'm5']) connect('10.0.0.1', name);
  expect(ended).toEqual(['m1', 'm2']);
});

test('a request under way is answered when the server ends, with an end to the connection; later ones are refused', async () => {
  const { call, stop } = await start();
  const { body: item } = await call('alice', 'POST', '/work', { body: { faculty: 'engineer' } });
  const cancel = () => call('alice', 'POST', `/work/${item.id}/cancel`, { headers: { 'idempotency-key': 'c' } });
  const { locked, waits } = await owner().transaction(async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [item.id]);
    const asked = cancel();
    await eventually('it waits for the lock', async () => {
      const rows = await owner().query(
        `select from pg_stat_activity where wait_event_type = 'Lock' and query ~ 'cancel_work'`,
      );
      return rows.length > 0 ? true : null;
    });
    return { locked: asked, waits: stop() };
  });
  const answer = await locked;
  expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'close']);
  await waits;
  await expect(call('alice', 'GET', '/me')).rejects.toThrow();
});
