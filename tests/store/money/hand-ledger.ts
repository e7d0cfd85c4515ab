/** What lives have cost, added up by hand: one entry for each event, in whole 10⁻¹² USD, so that no sum is rounded. */

/** 10⁻¹² USD. */
export type Pico = bigint;

/** What a sum says; the amounts are in 10⁻¹² USD. */
export interface Sums {
  readonly usd: Pico;
  readonly estimated: Pico;
  readonly lost: Pico;
  readonly calls: number;
  readonly lostRequests: number;
  readonly unpriced: number;
  readonly uncounted: number;
  readonly input: number;
  readonly output: number;
  readonly assumed: number;
}

const NOTHING: Sums = {
  usd: 0n,
  estimated: 0n,
  lost: 0n,
  calls: 0,
  lostRequests: 0,
  unpriced: 0,
  uncounted: 0,
  input: 0,
  output: 0,
  assumed: 0,
};

/** What an event belongs to. `item` and `root` are null for embeddings of memories. */
export interface Place {
  readonly item: string | null;
  readonly root: string | null;
  readonly faculty: string;
  readonly model: string;
  readonly day: string;
  readonly operation: string;
  readonly submitter: string | null;
  readonly source: string | null;
}

/** A request under way, and what it may cost besides. */
export interface Open {
  readonly place: Place;
  /** Null: without a price. */
  readonly usd: Pico | null;
  readonly tokens: number;
}

export interface HandLedger {
  add(place: Place, sums: Partial<Sums>): void;
  sum(of: (place: Place) => boolean): Sums;
  /** The distinct values of a key. */
  values<Value extends string | null>(of: (place: Place) => Value): readonly Value[];
}

export function handLedger(): HandLedger {
  const entries: { readonly place: Place; readonly sums: Sums }[] = [];
  return {
    add: (place, sums) => void entries.push({ place, sums: { ...NOTHING, ...sums } }),
    sum: (of) => entries.filter(({ place }) => of(place)).reduce((total, { sums }) => plus(total, sums), NOTHING),
    values: (of) => [...new Set(entries.map(({ place }) => of(place)))],
  };
}

function plus(one: Sums, other: Sums): Sums {
  return {
    usd: one.usd + other.usd,
    estimated: one.estimated + other.estimated,
    lost: one.lost + other.lost,
    calls: one.calls + other.calls,
    lostRequests: one.lostRequests + other.lostRequests,
    unpriced: one.unpriced + other.unpriced,
    uncounted: one.uncounted + other.uncounted,
    input: one.input + other.input,
    output: one.output + other.output,
    assumed: one.assumed + other.assumed,
  };
}

/** `0.000000450000`, as SQL and JSON take it. */
export function decimal(amount: Pico): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(13, '0');
  return `${amount < 0n ? '-' : ''}${digits.slice(0, -12)}.${digits.slice(-12)}`;
}

/** An amount of SQL. */
export function pico(amount: string): Pico {
  const [whole, digits = ''] = amount.replace('-', '').split('.');
  const size = BigInt(whole! + digits.padEnd(12, '0').slice(0, 12));
  return amount.startsWith('-') ? -size : size;
}

/** The amount as a number, as JSON has it. */
export function dollars(amount: Pico): number {
  return Number(decimal(amount));
}
