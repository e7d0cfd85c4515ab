/**
 * The promise: once a token is revoked, its person disabled or its end reached, no request that is sent afterwards is answered, however busy two servers are with
 * it. Each asks the database in the transaction that answers, so there is no message about it that could be lost.
 */
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { revokeToken, setPerson } from '../../src/features/people/store.ts';
import { testApi } from '../support/api.ts';
import { createPerson, createToken } from '../support/people.ts';

const { start, owner } = testApi();
/** Of each server. */
const CONNECTIONS = 10;
/** In place of a status: the server has closed the connection, as it may where its clients are slow. */
const UNANSWERED = 0;

/** A request of each kind: of one statement, of several, of none in its transaction, one that writes, one that is refused for what it says, a stream. */
const KINDS: readonly (readonly [method: string, path: string, body?: object])[] = [
  ['GET', '/work/ID'],
  ['GET', '/work'],
  ['GET', '/me'],
  ['POST', '/work', { faculty: 'engineer' }],
  ['GET', '/work?limit=none'],
  ['GET', '/work/ID/diff'],
  ['POST', '/work', { nonsense: 1 }],
  ['GET', '/people'],
];

type Ended = (token: { readonly id: string; readonly person: string }) => Promise<unknown>;
const ENDS: readonly (readonly [name: string, requests: number, end: Ended])[] = [
  ['a revoked token', 10_000, ({ id }) => revokeToken(owner(), id)],
  [
    'a token that is revoked without a notification',
    10_000,
    ({ id }) =>
      owner().transaction(async (tx) => {
        await tx.query('set local animus.notify = off');
        await revokeToken(tx, id);
      }),
  ],
  ['a disabled person', 800, ({ person }) => setPerson(owner(), person, { role: 'submitter', disabled: true })],
  [
    'an expired token',
    800,
    ({ id }) => owner().query(`update animus.tokens set expires_at = now() - interval '1 ms' where id = $1`, [id]),
  ],
];

test.each(ENDS)(
  '%s is refused from then on, on both of two servers, around the moment in %i requests',
  async (_, requests, end) => {
    const person = `alice${requests}${ENDS.findIndex((one) => one[2] === end)}`;
    await createPerson(owner(), person);
    const { id, secret } = await createToken(owner(), person);
    const apis = [await start(), await start()];
    const headers = { authorization: `Bearer ${secret}` };
    const first = await apis[0]!.call(null, 'POST', '/work', { body: { faculty: 'engineer' }, headers });
    const texts = KINDS.map(([method, path, body]) =>
      textOf(method, path.replace('ID', first.body.id), headers.authorization, body),
    );
    const [before, after] = [new Map<number, number>(), new Map<number, number>()];
    let sent = 0;
    let counts = before;
    let ending: Promise<void> | undefined;
    const worker = async (url: string) => {
      const connection = await open(url);
      while (sent < requests) {
        const n = sent++;
        if (n >= requests / 2) ending ??= end({ id, person }).then(() => void (counts = after));
        const ended = counts;
        const status = await connection.send(texts[n % texts.length]!);
        ended.set(status, (ended.get(status) ?? 0) + 1);
      }
      connection.close();
    };
    await Promise.all(Array.from({ length: 2 * CONNECTIONS }, (_, n) => worker(apis[n % 2]!.url)));
    await ending;
    for (const answered of [200, 201, 400, 403]) expect(before.get(answered) ?? 0).toBeGreaterThan(requests / 40);
    // Wrong tokens are limited by address: 429 stands for 401 after some of them.
    expect([...after.keys()].filter((status) => status !== UNANSWERED).toSorted()).toEqual([401, 429]);
    expect([...after.values()].reduce((sum, count) => sum + count)).toBeGreaterThan(requests / 4);
    const [work] = await owner().query<{ count: number }>(
      'select count(*)::int as count from animus.work_items where submitted_by = $1',
      [`person:${person}`],
    );
    // The one before, and none that was refused.
    const made = before.get(201)! + 1;
    expect(work!.count).toBeGreaterThanOrEqual(made);
    expect(work!.count).toBeLessThanOrEqual(made + (before.get(UNANSWERED) ?? 0));
  },
  300_000,
);

function textOf(method: string, path: string, authorization: string, body?: object): string {
  const sent = body === undefined ? '' : JSON.stringify(body);
  const about = body && `content-type: application/json\r\ncontent-length: ${sent.length}\r\n`;
  return `${method} /api/v1${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: ${authorization}\r\n${about ?? ''}\r\n${sent}`;
}

/** One connection at a time, which it opens again if the server has closed it after an answer. */
async function open(url: string) {
  const { hostname, port } = new URL(url);
  let socket: Awaited<ReturnType<typeof connected>> | undefined;
  const connected = async () => {
    const opened = connect({ host: hostname, port: Number(port), noDelay: true });
    await new Promise<void>((done, fail) => opened.once('connect', done).once('error', fail));
    return opened;
  };
  return {
    /** The status of the answer. */
    async send(text: string): Promise<number> {
      if (!socket?.writable) socket = await connected();
      const answering = socket;
      return new Promise((answered) => {
        let seen = '';
        const onEnd = () => answered(UNANSWERED);
        const onData = (piece: Buffer) => {
          seen += piece.toString('latin1');
          const head = seen.indexOf('\r\n\r\n');
          const length = Number(/\r\ncontent-length: *(\d+)/i.exec(seen)?.[1] ?? Number.POSITIVE_INFINITY);
          if (head < 0 || !(seen.length >= head + 4 + length || seen.endsWith('\r\n0\r\n\r\n'))) return;
          answering.off('data', onData).off('close', onEnd);
          if (/\r\nconnection: *close/i.test(seen)) answering.destroy();
          answered(Number(seen.slice(9, 12)));
        };
        answering.on('data', onData).once('close', onEnd).write(text);
      });
    },
    close: () => void socket?.destroy(),
  };
}
