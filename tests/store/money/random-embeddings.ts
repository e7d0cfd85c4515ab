/** What is spent without any work: embeddings of memories. */
import { randomUUID } from 'node:crypto';
import { decimal, type Open, type Place } from './hand-ledger.ts';
import { amount, lose, type World } from './random-work.ts';

/** Requests for embeddings of memories, of which a daemon may die. */
export interface Embeddings {
  open: (Open & { readonly held: string; readonly daemon: string }) | null;
}

/** What embeddings of memories belong to. */
export const NOBODY = { item: null, root: null, submitter: null, source: null };
const EMBEDDING = { ...NOBODY, faculty: '(memory)', model: 'e/emb', operation: 'embedding' };

export async function embed(embeddings: Embeddings, world: World): Promise<void> {
  const { db, random, ledger, today } = world;
  const daemon = randomUUID();
  let usd = random.below(3) === 0 ? null : amount(random);
  const begin = async () => {
    const [row] = await db.query<{ begun: { permit: string; held: unknown } }>(
      `select animus.begin_embedding($1, 'e/emb', '1 minute', $2, 40) as begun`,
      [daemon, usd && decimal(usd)],
    );
    return row!.begun;
  };
  let { permit, held } = await begin();
  // Without a price, under a limit in USD.
  if (permit === 'budget' && usd === null) {
    usd = amount(random);
    ({ permit, held } = await begin());
  }
  if (permit === 'busy') return;
  if (permit !== 'go') throw new Error(`embeddings were refused: ${permit}`);
  if (embeddings.open) await loseEmbedding(embeddings.open, world);
  const place: Place = { ...EMBEDDING, day: today() };
  embeddings.open = { place, usd, tokens: 40, held: JSON.stringify(held), daemon };
  if (random.below(3) === 0) return;
  const what = random.pick(['paid', 'nothing', 'lost'] as const);
  const cost = amount(random);
  const call = {
    provider: 'e',
    model: 'emb',
    tokens: what === 'nothing' ? 0 : 24,
    ...(what === 'lost' && { lost: true }),
  };
  const json = `${JSON.stringify(call).slice(0, -1)},"cost_usd":${what === 'nothing' ? '0' : decimal(cost)}}`;
  await db.query(`select animus.end_embedding($1, 'e/emb', $2::json, $3::json)`, [daemon, JSON.stringify(held), json]);
  await db.query(`select animus.leave_embedding($1, 'e/emb')`, [daemon]);
  if (what === 'paid') ledger.add(place, { usd: cost, calls: 1, input: 24 });
  if (what === 'lost') ledger.add(place, { usd: cost, lost: cost, lostRequests: 1, assumed: 24 });
  embeddings.open = null;
}

/** Its daemon has let its time pass. Perhaps it was only slow, and says later what the request has cost. */
async function loseEmbedding(open: NonNullable<Embeddings['open']>, { db, random, ledger }: World): Promise<void> {
  lose(open, 1, ledger);
  if (random.below(2) === 0) return;
  const cost = amount(random);
  const call = `{"provider":"e","model":"emb","tokens":24,"cost_usd":${decimal(cost)}}`;
  await db.query(`select animus.end_embedding($1, 'e/emb', $2::json, $3::json)`, [open.daemon, open.held, call]);
  const lost = -(open.usd ?? 0n);
  const back = { usd: lost, lost, lostRequests: -1, unpriced: open.usd === null ? -1 : 0, assumed: -open.tokens };
  ledger.add(open.place, back);
  ledger.add(open.place, { usd: cost, calls: 1, input: 24 });
}

/** What a sweep of a daemon does. */
export async function sweep(embeddings: Embeddings, { db, ledger }: World): Promise<void> {
  await db.query('select animus.settle_budgets($1)', [randomUUID()]);
  await db.query(`update animus.budget_slices set used_at = used_at - interval '1 hour'`);
  await db.query('select animus.return_slices($1)', [randomUUID()]);
  const [left] = await db.query<{ open: boolean }>(
    'select coalesce(bool_or(begun_at is not null), false) as open from animus.embedders',
  );
  if (embeddings.open === null || left!.open) return;
  lose(embeddings.open, 1, ledger);
  embeddings.open = null;
}
