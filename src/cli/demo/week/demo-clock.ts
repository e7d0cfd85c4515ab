/** Lets what happens in one transaction happen at times of the past. */
import type { Queryable } from '../../../store/sql/database.ts';

/** The clock of a transaction, in milliseconds since 1970. It stops at the present: nothing happens in the future. */
export interface DemoClock {
  atMs: number;
}

/**
 * Runs `work` under a clock of its own: for its statements, `animus.now()` and the times in new ids are what the clock says. Both functions are replaced in
 * this transaction alone and put back in it, so no other session ever sees them. Only the owner of the schema may do that.
 */
export async function underDemoClock<T>(
  tx: Queryable,
  { startMs, endMs }: { readonly startMs: number; readonly endMs: number },
  work: (tx: Queryable, clock: DemoClock) => Promise<T>,
): Promise<T> {
  const originals = await tx.query<{ definition: string }>(
    `select pg_get_functiondef(f) as definition from unnest(array['animus.now()', 'animus.uuid_at(bigint)']::regprocedure[]) f`,
  );
  let nowMs = startMs;
  const clock: DemoClock = {
    get atMs() {
      return nowMs;
    },
    set atMs(to) {
      nowMs = Math.min(to, endMs);
    },
  };
  let toldMs: number | null = null;
  const timed: Queryable = {
    async query(sql, params) {
      // Told when it counts: most steps move the clock twice.
      if (toldMs !== nowMs) {
        toldMs = nowMs;
        await tx.query(`select set_config('animus.demo_clock', $1, true)`, [(toldMs / 1000).toFixed(6)]);
      }
      return tx.query(sql, params);
    },
  };
  for (const statement of REPLACED) await tx.query(statement);
  const done = await work(timed, clock);
  for (const { definition } of originals) await tx.query(definition);
  return done;
}

/** Ids keep 74 random bits: two of one millisecond differ. */
const REPLACED = [
  `create or replace function animus.now() returns timestamptz language sql volatile parallel safe
     as $$ select to_timestamp(current_setting('animus.demo_clock')::float8) $$`,
  `create or replace function animus.uuid_at(p_us bigint) returns uuid language sql volatile parallel restricted as $$
     select encode(substring(int8send((extract(epoch from animus.now()) * 1000)::bigint), 3, 6) || int2send((28672 + floor(random() * 4096))::int2)
       || int4send((random() * 1073741823)::int | (-2147483648)) || int4send((random() * 4294967295 - 2147483648)::int), 'hex')::uuid $$`,
];
