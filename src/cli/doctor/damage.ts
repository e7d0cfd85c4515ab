/** `animus doctor --deep`: finds what somebody has changed or dropped by hand. */
import { migrationStatus } from '../../store/migrations/compatibility.ts';
import { declaredReferences, type MissingObject, missingObjects } from '../../store/migrations/missing-objects.ts';
import type { Database } from '../../store/sql/database.ts';
import {
  readOrphans,
  readStranded,
  readStrayMessages,
  readUnqueued,
  type WrongRows,
} from '../../store/views/damage.ts';
import { readSecuredTables } from '../../store/views/row-security.ts';
import { counted } from '../view/quantities.ts';
import { type Finding, findingsOf, fine, note, problem } from './finding.ts';

/** Reads whole tables, and changes nothing. */
export async function examineDamage(db: Database): Promise<readonly Finding[]> {
  const { version, needed } = await migrationStatus(db);
  if (version !== needed) {
    return [
      note('objects', `not compared: the schema has version ${version}, and this animus knows version ${needed}`),
    ];
  }
  const missing = await missingObjects(db);
  if (missing.length > 0) return missingFindings(missing);
  const objects = fine('objects', 'all tables, columns, constraints, indexes, triggers and functions are there');
  const hidden = (await readSecuredTables(db)).filter(({ hides }) => hides);
  // What is hidden looks as if it were gone, and its remedy would delete what refers to it.
  if (hidden.length > 0) {
    const names = hidden.map(({ table }) => table).join(', ');
    return [objects, note('rows', `not compared: row security hides rows of ${names} from this login`)];
  }
  return [
    objects,
    ...(await findingsOf('waits', () => examineWaits(db))),
    ...(await findingsOf('queue', () => examineQueue(db))),
    ...(await findingsOf('orphans', () => examineOrphans(db))),
  ];
}

/** So many are named one by one. */
const MOST_NAMED = 20;

function missingFindings(missing: readonly MissingObject[]): Finding[] {
  const named = missing.slice(0, MOST_NAMED).map(({ kind, what, statement }) => {
    if (kind === 'function') return problem('objects', `${what} is missing`, 'run: animus db migrate');
    if (kind === 'table' || kind === 'column') {
      return problem(
        'objects',
        `${what} is missing, with its rows`,
        'restore the database from a backup (docs/operations.md)',
      );
    }
    return problem('objects', `${what} is missing`, `run as the owner of the schema: ${statement}`);
  });
  const more = missing.length - named.length;
  return more > 0 ? [...named, problem('objects', `${more} more objects are missing`)] : named;
}

async function examineWaits(db: Database): Promise<readonly Finding[]> {
  const stranded = await readStranded(db);
  if (stranded.count === 0) return [fine('waits', 'all work that waits waits for something')];
  const [first] = stranded.examples;
  return [
    problem(
      'waits',
      `${counted(stranded.count, 'work item')} in state waiting without anything to wait for, so that nothing wakes ${them(stranded)}: ${list(stranded)}`,
      `cancel ${them(stranded)}, and submit the work again: animus work cancel ${first}`,
    ),
  ];
}

async function examineQueue(db: Database): Promise<readonly Finding[]> {
  const [unqueued, stray] = [await readUnqueued(db), await readStrayMessages(db)];
  const findings: Finding[] = [];
  if (unqueued.count > 0) {
    const detail = `${counted(unqueued.count, 'open work item')} without a message in the queue animus_work: ${list(unqueued)}`;
    findings.push(problem('queue', detail, 'run: animus db migrate'));
  }
  if (stray.count > 0) {
    const detail = `${counted(stray.count, 'message')} in the queue animus_work that no open work item has: ${list(stray)}`;
    findings.push(problem('queue', detail, 'run: animus db migrate'));
  }
  return findings.length > 0 ? findings : [fine('queue', 'each open work item has its message, and there is no other')];
}

async function examineOrphans(db: Database): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const reference of await declaredReferences()) {
    const orphans = await readOrphans(db, reference);
    if (orphans.count === 0) continue;
    const { table, columns, target } = reference;
    findings.push(
      problem(
        'orphans',
        `${counted(orphans.count, 'row')} of animus.${table} whose ${columns.join(', ')} is not in animus.${target}: ${list(orphans)}`,
        `restore animus.${target} from a backup, or run as the owner of the schema: delete from animus.${table} c where ${orphans.condition};`,
      ),
    );
  }
  return findings.length > 0 ? findings : [fine('orphans', 'no row refers to one that is gone')];
}

function list({ count, examples }: WrongRows): string {
  return examples.join(', ') + (count > examples.length ? ', …' : '');
}

function them({ count }: WrongRows): string {
  return count === 1 ? 'it' : 'them';
}
