/** Checks that no publication of logical replication keeps animus from changing its own rows. */
import { type RefusedTable, refusedTables } from '../../../store/migrations/replica-identity.ts';
import type { Database } from '../../../store/sql/database.ts';
import { type Finding, note, problem } from '../../../terminal/view/finding.ts';

/** One finding for each publication and reason; nothing where all is well, or nothing of ours is published. */
export async function examinePublications(db: Database): Promise<readonly Finding[]> {
  const groups = Map.groupBy(await refusedTables(db), (row) =>
    JSON.stringify([row.publication, row.reason, row.changed]),
  );
  return [...groups.values()].map(findingOf);
}

function findingOf(rows: readonly RefusedTable[]): Finding {
  const { publication, reason, changed } = rows[0]!;
  const tables = rows.map(({ table }) => table).join(', ');
  const detail = `because of the publication ${publication} the server refuses updates and deletes of ${WHICH[reason]}: ${tables}`;
  const statements = rows.map(({ cure }) => `${cure};`).join(' ');
  const by =
    reason === 'no identity' ? [...new Set(rows.map(({ owner }) => owner))].join(', ') : 'the owner of the publication';
  const remedy = `run as ${by}: ${statements}${THEN[reason]}`;
  // pgmq changes these only when a queue is made or dropped, a topic bound, or a notification switched.
  return changed ? problem('publications', detail, remedy) : note('publications', detail, remedy);
}

const WHICH: Readonly<Record<RefusedTable['reason'], string>> = {
  'no identity': 'tables without a primary key or a replica identity',
  filter: 'tables for which its WHERE reads columns outside their replica identity',
  columns: 'tables for which its list of columns lacks some of their replica identity',
  generated: 'tables whose replica identity has generated columns, which it leaves out',
};

const THEN: Readonly<Record<RefusedTable['reason'], string>> = {
  'no identity': '',
  filter: ' then add them again without WHERE, or with one that reads only the primary key',
  columns: ' then add them again without a list of columns, or with the primary key in it',
  generated: '',
};
