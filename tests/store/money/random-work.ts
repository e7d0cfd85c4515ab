/** One random life after another through the SQL functions that a daemon calls: each act writes by hand what it costs. */
import { randomUUID } from 'node:crypto';
import type { Database } from '../../../src/store/sql/database.ts';
import { startFocus } from '../../../src/store/transcript/focus-row.ts';
import { claimWork } from '../../../src/store/work/work.ts';
import { decimal, type HandLedger, type Open, type Pico, type Place } from './hand-ledger.ts';

export const FACULTIES = ['fa', 'fb'] as const;
const CLAIMS = { max: 1000, max_attempts: 100, dedup_until: 'resolved', batches: true, budgets: true } as const;

/** An item as the test knows it. */
export interface Life {
  readonly id: string;
  readonly root: string;
  readonly faculty: string;
  /** Of its root. */
  readonly source: string;
  /** Of its root. */
  readonly submitter: string;
  state: 'queued' | 'running' | 'waiting' | 'ended';
  token: string;
  focus: string | null;
  /** Recorded in the present focus. */
  turns: number;
  /** Of the newest answer of the focus; lost requests count for it. */
  model: string;
  turn: (Open & { readonly request: string }) | null;
  side: Open | null;
  /** The request of its turn in a batch. */
  batch: string | null;
}

export interface Random {
  /** From 0 to below `n`. */
  below(n: number): number;
  pick<T>(list: readonly T[]): T;
}

export interface World {
  readonly db: Database;
  readonly random: Random;
  readonly ledger: HandLedger;
  /** What daemons that add up calls have told their metrics. */
  readonly metrics: HandLedger;
  readonly lives: Life[];
  readonly today: () => string;
}

/** From 1 to 999,999 × 10⁻¹² USD, now and then much more: what one embedding costs, and what a long answer does. */
export function amount({ below }: Random): Pico {
  return BigInt(1 + below(999_999)) * (below(3) === 0 ? 1_000_003n : 1n);
}

export function placeOf(life: Life, operation: string, day: string, model = life.model): Place {
  const { id: item, root, faculty, submitter, source } = life;
  return { item, root, faculty, model, day, operation, submitter, source };
}

export async function submit({ db, random, lives }: World): Promise<void> {
  const parents = lives.filter(({ state, id }) => state === 'running' && id.length > 0);
  const parent = random.below(3) === 0 && parents.length > 0 ? random.pick(parents) : null;
  const faculty = random.pick(FACULTIES);
  const source = random.pick(['cli', 'cron']);
  const [row] = await db.query<{ id: string; root: string }>(
    'insert into animus.work_items (faculty, source, parent_id) values ($1, $2, $3) returning id, root_id as root',
    [faculty, source, parent?.id ?? null],
  );
  const submitter = random.pick(['ada', 'bob']);
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query('update animus.work_items set submitted_by = $2 where id = $1', [row!.id, submitter]);
  });
  const fresh = { token: '', focus: null, turns: 0, model: '(unknown)', turn: null, side: null, batch: null };
  const of = parent ?? { source, submitter };
  lives.push({ ...row!, faculty, source: of.source, submitter: of.submitter, state: 'queued', ...fresh });
}

/** Claims all that is claimable, also of daemons whose lease is over, and begins or resumes the foci. */
export async function claim(world: World): Promise<void> {
  const { db, lives } = world;
  for (const faculty of FACULTIES) {
    for (const work of await claimWork(db, randomUUID(), { [faculty]: CLAIMS }, 100, 60)) {
      const life = lives.find(({ id }) => id === work.id)!;
      loseOpen(life, world);
      const settings = { facultySnapshot: {}, systemPrompt: 'You test.', tools: [] };
      const row = await startFocus(db, work, { host: 'test', directoryRoot: '/nowhere', ...settings });
      if (row.id !== life.focus) Object.assign(life, { turns: 0, model: '(unknown)' });
      Object.assign(life, { state: 'running', token: work.leaseToken, focus: row.id });
    }
  }
}

/** What is open is lost, but what is in a batch. */
export function loseOpen(life: Life, { ledger }: Pick<World, 'ledger'>): void {
  if (life.batch === null) {
    lose(life.turn, 1, ledger);
    life.turn = null;
  }
  lose(life.side, 1, ledger);
  life.side = null;
}

export function lose(open: Open | null, requests: number, ledger: HandLedger): void {
  if (open === null || requests === 0) return;
  const n = BigInt(requests);
  const lost = n * (open.usd ?? 0n);
  const unpriced = open.usd === null ? requests : 0;
  ledger.add(open.place, { usd: lost, lost, lostRequests: requests, unpriced, assumed: requests * open.tokens });
}

/** Begins the next turn, or begins the present one again. */
export async function begin(life: Life, world: World): Promise<void> {
  const { db, random, ledger, today } = world;
  const request = randomUUID();
  let usd = random.below(6) === 0 ? null : amount(random);
  const tokens = 1000 + random.below(5000);
  const turn = life.turns + 1;
  const beginTurn = async () => {
    const [row] = await db.query<{ begun: { permit: string; messages?: readonly string[] } }>(
      `select animus.begin_turn($1, $2, $3, $4, '[]', $5, $6) as begun`,
      [life.focus, life.token, turn, usd && decimal(usd), request, tokens],
    );
    return row!.begun;
  };
  let begun = await beginTurn();
  // Without a price, under a limit in USD.
  if (begun.permit === 'budget' && usd === null) {
    usd = amount(random);
    begun = await beginTurn();
  }
  const { permit } = begun;
  const limited = begun.messages !== undefined;
  if (permit === 'cancelled') return endCancelled(life, world);
  if (permit !== 'go') throw new Error(`a turn was refused: ${permit}`);
  lose(life.turn, 1, ledger);
  const place = placeOf(life, 'turn', today());
  life.turn = { place, usd, tokens: limited ? tokens : 0, request };
}

async function endCancelled(life: Life, world: World): Promise<void> {
  await world.db.query('select animus.end_cancelled($1, $2)', [life.id, life.token]);
  loseOpen(life, world);
  life.state = 'ended';
}

/** Records the open turn: counted, estimated, free, without a price, or without counts. */
export async function record(life: Life, { db, random, ledger }: World, lost = 0): Promise<void> {
  const { turn } = life;
  if (turn === null) return;
  const kind = random.pick(['counted', 'counted', 'estimated', 'free', 'unpriced', 'uncounted'] as const);
  const cost = kind === 'free' ? 0n : amount(random);
  const usage = {
    input: random.below(3000),
    output: random.below(300),
    ...(kind === 'estimated' && { estimated: true }),
  };
  const model = random.pick(['m1', 'm2']);
  const isKnown = kind !== 'unpriced' && kind !== 'uncounted';
  const fields = JSON.stringify({ provider: 'p', model, content: [], stop_reason: 'end_turn', lost });
  const answer = `${fields.slice(0, -1)},"cost_usd":${isKnown ? decimal(cost) : 'null'},"usage":${kind === 'uncounted' ? 'null' : JSON.stringify(usage)}}`;
  await db.query(`select animus.record_turn($1, $2, $3, $4::json, '[]')`, [
    life.focus,
    life.token,
    life.turns + 1,
    answer,
  ]);
  if (life.batch !== null) {
    await db.query(`select animus.close_request($1, $2, $3, 'recorded')`, [life.focus, life.token, life.batch]);
    life.batch = null;
  }
  // A lost request counts for the model that has answered in the end.
  life.model = `p/${model}`;
  const place = { ...turn.place, model: life.model };
  lose({ ...turn, place }, lost, ledger);
  const usd = (isKnown ? cost : turn.usd) ?? 0n;
  ledger.add(place, {
    usd,
    estimated: kind === 'estimated' || !isKnown ? usd : 0n,
    unpriced: !isKnown && turn.usd === null ? 1 : 0,
    calls: 1,
    uncounted: kind === 'uncounted' ? 1 : 0,
    assumed: kind === 'uncounted' ? turn.tokens : 0,
    ...(kind !== 'uncounted' && { input: usage.input, output: usage.output }),
  });
  life.turns += 1;
  life.turn = null;
}

/** The request failed: it certainly cost nothing, or it may have. */
export async function fail(life: Life, { db, random, ledger }: World): Promise<void> {
  if (life.turn === null) return;
  if (random.below(2) === 0) {
    await db.query('select animus.give_back_turn($1, $2, $3)', [life.focus, life.token, life.turns + 1]);
  } else {
    await db.query('select animus.lose_turn($1, $2, $3, 1)', [life.focus, life.token, life.turns + 1]);
    lose(life.turn, 1, ledger);
  }
  life.turn = null;
}
