/** Calls that are not turns: summaries and embeddings. */
import { randomUUID } from 'node:crypto';
import { decimal, type Open } from './hand-ledger.ts';
import { amount, type Life, lose, placeOf, type World } from './random-work.ts';

/** A call that is not a turn is begun, and given back, lost or answered, now or later. */
export async function sideCall(life: Life, world: World): Promise<void> {
  const { db, random, ledger } = world;
  life.side ??= await beginSide(life, world);
  const { side } = life;
  const what = random.below(4);
  if (what === 0) return;
  if (what === 1) {
    await db.query('select animus.give_back_turn($1, $2, 0)', [life.focus, life.token]);
  } else if (what === 2) {
    await db.query('select animus.lose_turn($1, $2, 0, 1)', [life.focus, life.token]);
    lose(side, 1, ledger);
  } else {
    const { operation } = side.place;
    const isKnown = random.below(3) > 0;
    const lost = random.below(3) === 0 ? 1 : 0;
    const cost = isKnown ? amount(random) : side.usd!;
    await db.query('select animus.record_side_call($1, $2, $3::jsonb)', [
      life.focus,
      life.token,
      `{"provider":"q","model":"s","usage":{"input":24,"output":1},"cost_usd":${isKnown ? decimal(cost) : 'null'},"operation":"${operation}","lost":${lost}}`,
    ]);
    // A lost request counts for the model that has answered in the end.
    const place = { ...side.place, model: 'q/s', operation };
    lose({ ...side, place }, lost, ledger);
    ledger.add(place, { usd: cost, estimated: isKnown ? 0n : cost, calls: 1, input: 24, output: 1 });
  }
  life.side = null;
}

async function beginSide(life: Life, { db, random, today }: World): Promise<Open> {
  const usd = amount(random);
  const tokens = 100 + random.below(400);
  const reserved = [life.focus, life.token, decimal(usd), tokens, randomUUID()];
  const call = random.pick(['summary', 'embedding'] as const);
  const model = `${random.pick(['q', 'r'])}/asked`;
  const [row] = await (call === 'summary'
    ? db.query<{ may: boolean }>('select animus.begin_side_call($1, $2, $3, $4, $5, $6::jsonb) as may', [
        ...reserved,
        JSON.stringify({ model, operation: call }),
      ])
    : db.query<{ may: boolean }>(`select animus.hold_embedding($1, $2, $3, $4, $5, $6) <> 'refused' as may`, [
        ...reserved,
        model,
      ]));
  if (!row!.may) throw new Error('a side call was refused');
  return { place: placeOf(life, call, today(), model), usd, tokens };
}
