/** The table of figures at the end. */
import type { Database } from '../../../src/store/sql/database.ts';
import type { Load } from './application.ts';

/** `rows`: at the subscriber; `troubles`: by kind. */
export async function companyFigures(
  db: Database,
  { app }: Load,
  rows: number,
  troubles: ReadonlyMap<string, number>,
): Promise<string> {
  const [row] = await db.query<Record<string, string>>(
    `select (select count(*) from animus.work_items)::text as "items",
            (select string_agg(n || ' ' || state, ', ' order by state) from (select state, count(*) as n from animus.work_items group by state) s) as "  of these",
            (select count(*) from animus.turns where recorded_at is not null)::text as "turns",
            (select count(*) from animus.batch_requests)::text as "  asked in batches",
            (select count(*) from story where after = 'claimed')::text as "claims",
            (select count(*) from story where before in ('claimed', 'running') and after = 'claimed')::text as "take-overs",
            (select count(*) from effects)::text as "effects",
            (select count(*) from animus.memories)::text as "memories",
            (select count(*) from animus.decisions)::text as "decisions",
            (select round(usd, 2) from animus.costs('appliance', ''))::text as "USD"`,
  );
  const { again, done } = app.tally;
  const figures: [string, string][] = [
    ...Object.entries(row!),
    ['orders of the application', String(app.made.length)],
    ['rolled back on purpose', String(app.undone.length)],
    ['serialization failures and deadlocks run again', String((again.get('40001') ?? 0) + (again.get('40P01') ?? 0))],
    ['other failures run again', listed([...again].filter(([code]) => !code.startsWith('40')))],
    ['rows at the subscriber', String(rows)],
    ['troubles', listed([...troubles])],
    ['acts', listed([...done].toSorted())],
  ];
  return figures.map(([name, value]) => `${name.padEnd(48)}${value}`).join('\n');
}

function listed(counts: readonly (readonly [string, number])[]): string {
  return counts.map(([name, n]) => `${n} × ${name}`).join(', ') || 'none';
}
