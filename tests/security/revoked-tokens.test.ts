/** The promise: once a token is revoked, its person disabled or its end reached, no request that is sent afterwards is answered, however busy the server is with it. */
import { expect, test } from 'vitest';
import { revokeToken, setPerson } from '../../src/features/people/store.ts';
import { testApi } from '../support/api.ts';
import { createPerson, createToken } from '../support/people.ts';

const { start, owner } = testApi();
const REQUESTS = 3000;
const AT_ONCE = 20;

type Api = Awaited<ReturnType<typeof start>>;

/** A request of each kind: of one statement, of several, of none in its transaction, one that writes, one that is refused for what it says, streams. */
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

async function send(api: Api, token: string, n: number, id: string): Promise<number> {
  const [method, path, body] = KINDS[n % KINDS.length]!;
  const { status } = await api.call(null, method, path.replace('ID', id), {
    headers: { authorization: `Bearer ${token}` },
    ...(body && { body }),
  });
  return status;
}

const ENDS = {
  'a revoked token': async ({ id }: { id: string }) => revokeToken(owner(), id),
  'a disabled person': async () => setPerson(owner(), 'alice', { role: 'submitter', disabled: true }),
  'an expired token': async ({ id }: { id: string }) => {
    await owner().query(`update animus.tokens set expires_at = now() - interval '1 ms' where id = $1`, [id]);
  },
};

test.each(Object.entries(ENDS))(
  '%s is refused from then on, on both of two servers',
  async (_, end) => {
    await createPerson(owner(), 'alice');
    const token = await createToken(owner(), 'alice');
    // Wrong tokens are limited by address, so that 429 stands for 401 after some; a refused token must not be answered at all.
    const apis = [await start(), await start()];
    const first = await apis[0]!.call(null, 'POST', '/work', {
      body: { faculty: 'engineer' },
      headers: { authorization: `Bearer ${token.secret}` },
    });
    const { id } = first.body;
    let ended = false;
    let sent = 0;
    const [before, after] = [new Map<number, number>(), new Map<number, number>()];
    const worker = async () => {
      while (sent < REQUESTS) {
        const n = sent++;
        const counts = ended ? after : before;
        const status = await send(apis[n % 2]!, token.secret, Math.floor(n / 2), id);
        counts.set(status, (counts.get(status) ?? 0) + 1);
      }
    };
    const ending = async () => {
      await expect.poll(() => sent > REQUESTS / 2, { interval: 5, timeout: 60_000 }).toBe(true);
      await end(token);
      ended = true;
    };
    await Promise.all([ending(), ...Array.from({ length: AT_ONCE }, worker)]);
    for (const answered of [200, 201, 400, 403]) expect(before.get(answered) ?? 0).toBeGreaterThan(50);
    expect([...after.keys()].toSorted()).toEqual([401, 429]);
    const [{ work }] = (await owner().query<{ work: number }>(
      `select count(*)::int as work from animus.work_items where submitted_by = 'person:alice'`,
    )) as [{ work: number }];
    // The one before, and none that was refused.
    expect(work).toBeGreaterThanOrEqual(before.get(201)! + 1);
  },
  120_000,
);
