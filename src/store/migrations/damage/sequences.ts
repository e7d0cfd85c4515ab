/** Sequences that would give a number twice: somebody has dropped or set them, or the rows were copied without them. */
import type { Queryable } from '../../sql/database.ts';
import { inPgmqSchema, type PgmqSchema, pgmqSchema } from '../../sql/pgmq-schema.ts';
import { readValue } from '../../sql/read-value.ts';

export interface SequenceBehind {
  readonly sequence: string;
  /** The column whose numbers it gives. */
  readonly column: string;
  /** The next number must be above this one. */
  readonly used: string;
  /** The statement that moves it forward. */
  readonly cure: string;
}

interface Numbered {
  readonly sequence: string;
  readonly column: string;
  readonly table: string;
  /** The largest number given. */
  readonly most: string;
  readonly next: string;
}

/** Reads whole tables where no index has the order. Only of sequences that this role may read. */
export async function readSequencesBehind(tx: Queryable): Promise<SequenceBehind[]> {
  const behind: SequenceBehind[] = [];
  for (const { sequence, column, table, most, next } of [...(await identities(tx)), ...others(await pgmqSchema(tx))]) {
    const isReadable = await readValue<boolean>(
      tx,
      `select coalesce(has_sequence_privilege(to_regclass($1)::oid, 'select') and to_regclass($2) is not null, false)`,
      [sequence, table],
    );
    if (!isReadable) continue;
    const [found] = await tx.query<{ used: string | null; behind: boolean }>(
      `select m.used::text as used, m.used > s.last_value or m.used = s.last_value and not s.is_called as behind from ${sequence} s, (select (${most})::numeric as used) m`,
    );
    if (found?.used == null || !found.behind) continue;
    behind.push({
      sequence,
      column,
      used: found.used,
      cure: `select setval('${sequence}', greatest((${most}), ${next}))`,
    });
  }
  return behind;
}

/** How a sequence that has been made anew starts: a lease token is never given twice. There were never a thousand claims in each millisecond since 1970. */
export const START_OF_TOKENS = `select setval('animus.lease_tokens', (extract(epoch from clock_timestamp()) * 1000)::bigint)`;

const OTHERS: readonly Numbered[] = [
  {
    sequence: 'animus.lease_tokens',
    column: 'animus.work_items.lease_token',
    table: 'animus.work_items',
    // animus.draw_token: a token is the number and 20 bits of chance.
    most: 'select max(w.lease_token) / 1048576 from animus.work_items w where w.lease_token is not null',
    next: '(extract(epoch from clock_timestamp()) * 1000)::bigint',
  },
  ...['work', 'inbox', 'inbox_dead'].map((queue) => {
    const [open, archive] = [`pgmq.q_animus_${queue}`, `pgmq.a_animus_${queue}`];
    const items = queue === 'work' ? ', (select max(w.queue_msg_id) from animus.work_items w)' : '';
    return {
      sequence: `${open}_msg_id_seq`,
      column: `${open}.msg_id`,
      table: archive,
      most: `select greatest((select max(m.msg_id) from ${open} m), (select max(m.msg_id) from ${archive} m)${items})`,
      next: '1',
    };
  }),
];

function others(queues: PgmqSchema): Numbered[] {
  return OTHERS.map(({ sequence, column, table, most, next }) => ({
    sequence: inPgmqSchema(sequence, queues),
    column: inPgmqSchema(column, queues),
    table: inPgmqSchema(table, queues),
    most: inPgmqSchema(most, queues),
    next,
  }));
}

async function identities(tx: Queryable): Promise<Numbered[]> {
  const rows = await tx.query<{ sequence: string; table: string; name: string }>(
    `select pg_get_serial_sequence(t.name, a.attname) as sequence, t.name as "table", quote_ident(a.attname) as name
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attidentity <> '' and not a.attisdropped
      cross join lateral (select format('animus.%I', c.relname)) t (name)
      where c.relnamespace = to_regnamespace('animus') and pg_get_serial_sequence(t.name, a.attname) is not null order by 1`,
  );
  return rows.map(({ sequence, table, name }) => ({
    sequence,
    table,
    column: `${table}.${name}`,
    most: `select max(t.${name}) from ${table} t`,
    next: '1',
  }));
}
