/** What else happens to work, and what is spent without any: batches, ends, kills, limits, retention. */
import { randomUUID } from 'node:crypto';
import { answerRequest, confirmBatch, holdPoller, markBatch } from '../../../src/features/batches/store.ts';
import { putTurn, readRequestUnderWay } from '../../../src/store/transcript/batch-requests.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { cancelWork, retryWork } from '../../../src/store/work/operate.ts';
import { decimal, type Open, pico } from './hand-ledger.ts';
import { type Embeddings, NOBODY } from './random-embeddings.ts';
import { amount, begin, FACULTIES, type Life, lose, loseOpen, placeOf, record, type World } from './random-work.ts';

/** Puts the turn into a batch of provider `b`, and parks the item. */
export async function park(life: Life, world: World): Promise<void> {
  const { db } = world;
  if (life.turn === null) await begin(life, world);
  if (life.turn === null) return;
  const key = { workItemId: life.id, leaseToken: life.token, focusId: life.focus! };
  await putTurn(db, key, life.turns + 1, {
    provider: 'b',
    place: 'b',
    path: '/x',
    model: 'bm',
    headers: {},
    body: '{}',
  });
  life.batch = (await readRequestUnderWay(db, key, life.turns + 1))!.id;
  const state = await parkWork(db, { id: life.id, leaseToken: life.token });
  life.state = state === 'waiting' || state === 'queued' ? state : 'ended';
}

/** Sends what is in the outbox. Requests of ended work are withdrawn: they cost nothing. */
export async function sendBatch({ db, lives }: World): Promise<void> {
  const token = (await holdPoller(db, 'b', POLLER, 3600))!;
  const bounds = { gatherSeconds: 0, maxRequests: 100, maxBytes: 1_000_000, unclearSeconds: 60 };
  const batch = await markBatch(db, 'b', token, bounds);
  if (batch) await confirmBatch(db, batch.id, randomUUID());
  const gone = await db.query<{ id: string }>(`select id from animus.batch_requests where state = 'withdrawn'`);
  for (const life of lives) {
    if (!gone.some(({ id }) => id === life.batch)) continue;
    Object.assign(life, { batch: null, turn: null });
  }
}
const POLLER = randomUUID();

/** Answers a request that was sent. Of ended work, the answer is booked; else its focus goes on, and records it. */
export async function answer(life: Life, world: World): Promise<void> {
  const { db, random, ledger } = world;
  const sent = await db.query(`select from animus.batch_requests where id = $1 and state = 'sent'`, [life.batch]);
  if (sent.length === 0) return;
  await answerRequest(db, life.batch!, '{}');
  if (life.state !== 'ended') {
    life.state = 'queued';
    return;
  }
  const kind = random.pick(['counted', 'uncounted', 'nothing'] as const);
  const cost = amount(random);
  const paid =
    kind === 'nothing'
      ? 'null'
      : kind === 'uncounted'
        ? '{"model":"bm","usage":null,"cost_usd":null}'
        : `{"model":"bm","usage":{"input":7,"output":8},"cost_usd":${decimal(cost)}}`;
  await db.query('select animus.withdraw_answer($1, $2::json)', [life.batch, paid]);
  const open = life.turn!;
  const place = { ...open.place, model: 'b/bm' };
  if (kind === 'uncounted') lose({ ...open, place }, 1, ledger);
  if (kind === 'counted') ledger.add(place, { usd: cost, calls: 1, input: 7, output: 8 });
  Object.assign(life, { batch: null, turn: null });
}

/** A focus goes on whose turn is in a batch: it records the answer, or parks again. */
export async function goOn(life: Life, world: World): Promise<void> {
  const [row] = await world.db.query<{ state: string }>('select state from animus.batch_requests where id = $1', [
    life.batch,
  ]);
  if (row!.state === 'answered') await record(life, world);
  else await park(life, world);
}

/** The end of a claim: released, failed with or without its transcript, dead, cancelled, or completed. */
export async function leave(life: Life, world: World): Promise<void> {
  const { db, random } = world;
  const isDone = life.turn === null && life.side === null && life.batch === null;
  const how = random.pick([
    ...(isDone ? ['complete' as const] : []),
    // Of a new attempt, a request of the one before is out of sight.
    ...(life.batch === null ? ['forget' as const] : []),
    ...(['release', 'fail', 'die', 'cancel'] as const),
  ]);
  const fail = (retry: string, keep: string) =>
    db.query(`select animus.fail_work($1, $2, '{"message":"broken"}', ${retry}, $3)`, [life.id, life.token, keep]);
  if (how === 'complete') await db.query(`select animus.complete_work($1, $2, '{}')`, [life.id, life.token]);
  if (how === 'release') await db.query('select animus.release_work($1, $2)', [life.id, life.token]);
  if (how === 'fail') await fail('animus.now()', 'transcript');
  if (how === 'forget') await fail('animus.now()', 'ledger');
  if (how === 'die') await fail('null', 'ledger');
  if (how === 'cancel') {
    await cancelWork(db, life.id);
    await db.query('select animus.end_cancelled($1, $2)', [life.id, life.token]);
  }
  loseOpen(life, world);
  if (how === 'forget') Object.assign(life, { focus: null });
  const [row] = await db.query<{ open: boolean }>(
    'select resolved_at is null as open from animus.work_items where id = $1',
    [life.id],
  );
  life.state = row!.open ? 'queued' : 'ended';
  if (life.state === 'ended') await afterEnd(world);
}

/** What an end takes with it: descendants that were open. */
export async function afterEnd({ db, lives, ...world }: Pick<World, 'db' | 'lives' | 'ledger'>): Promise<void> {
  const ended = await db.query<{ id: string }>('select id from animus.work_items where resolved_at is not null');
  for (const life of lives) {
    if (life.state === 'ended' || !ended.some(({ id }) => id === life.id)) continue;
    life.state = 'ended';
    loseOpen(life, world);
  }
}

/** The daemon of an item dies, and its lease is over. */
export async function kill(life: Life, { db }: World): Promise<void> {
  await db.query(`update animus.work_items set lease_expires_at = animus.now() - interval '1 hour' where id = $1`, [
    life.id,
  ]);
}

export async function retry(life: Life, { db }: World): Promise<void> {
  const [row] = await db.query<{ state: string }>('select state from animus.work_items where id = $1', [life.id]);
  if (life.batch !== null || row!.state === 'completed') return;
  await retryWork(db, life.id);
  Object.assign(life, { state: 'queued', focus: null, turns: 0, turn: null, side: null });
}

/** Sets a limit that nothing reaches, or removes one. */
export async function changeLimits({ db, random, lives }: World): Promise<void> {
  const life = lives.length > 0 ? random.pick(lives) : null;
  const [scope, subject, period] = random.pick([
    ['faculty', random.pick(FACULTIES), 'day'],
    ['faculty', random.pick(FACULTIES), 'month'],
    ['faculty', random.pick(FACULTIES), 'none'],
    ['appliance', null, 'day'],
    ['appliance', null, 'month'],
    ['item', random.pick(FACULTIES), 'none'],
    ['root', random.pick(FACULTIES), 'none'],
    ...(life?.root === life?.id && life?.state !== 'ended' && life ? [['root', life.id, 'none'] as const] : []),
  ] as const);
  const unit = random.pick(['usd', 'tokens'] as const);
  if (random.below(3) === 0)
    await db.query('select animus.remove_budget($1, $2, $3, $4)', [scope, subject, period, unit]);
  else await db.query('select animus.set_budget($1, $2, $3, $4, 1000000000)', [scope, subject, period, unit]);
}

/** Ended work is packed, or deleted with its tree, once everything is settled. */
export async function retain({ db, random, lives }: World): Promise<void> {
  const tree = random.pick(lives);
  const members = lives.filter(({ root }) => root === tree.root);
  if (members.some(({ state, batch }) => state !== 'ended' || batch !== null)) return;
  const ids = members.map(({ id }) => id);
  if (random.below(2) === 0) {
    await db.query(`select animus.pack_items($1::uuid[], animus.now() + interval '1 day')`, [ids]);
    return;
  }
  await db.query('delete from animus.work_items where id = any ($1::uuid[])', [ids]);
  lives.splice(0, lives.length, ...lives.filter(({ root }) => root !== tree.root));
}

/** Adds up so many calls, as a daemon does, whose metrics count them. */
export async function addUp({ db, metrics }: World, limit: number): Promise<number> {
  const added = await db.query<Record<'faculty' | 'model' | 'usd' | 'estimated' | 'lost' | 'unpriced', string>>(
    `select a.faculty, a.model, a.usd::text as usd, a.estimated_usd::text as estimated, a.lost_usd::text as lost, a.unpriced_calls::text as unpriced
       from animus.add_up_spend($1) u cross join lateral
            jsonb_to_recordset(u.added) as a (faculty text, model text, usd numeric, estimated_usd numeric, lost_usd numeric, unpriced_calls int)`,
    [limit],
  );
  for (const { faculty, model, usd, estimated, lost, unpriced } of added) {
    const place = { ...NOBODY, faculty, model, day: '', operation: '' };
    // The metrics of spent and of lost money are two; here they are one sum, as everywhere else.
    const sums = { usd: pico(usd) + pico(lost), estimated: pico(estimated), lost: pico(lost) };
    metrics.add(place, { ...sums, unpriced: Number(unpriced) });
  }
  return added.length;
}

export function openOf({ lives }: World, embeddings: Embeddings): readonly Open[] {
  const ofWork = lives.flatMap((life) => [
    ...(life.turn
      ? [
          {
            ...life.turn,
            place: life.batch ? { ...life.turn.place, model: 'b/bm' } : placeOf(life, 'turn', life.turn.place.day),
          },
        ]
      : []),
    ...(life.side ? [life.side] : []),
  ]);
  return [...ofWork, ...(embeddings.open ? [embeddings.open] : [])];
}
