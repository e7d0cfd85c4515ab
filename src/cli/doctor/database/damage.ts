/** `animus doctor --deep`: finds what somebody has changed or dropped by hand. */
import { messageOf } from '../../../core/errors/errors.ts';
import { migrationStatus } from '../../../store/migrations/compatibility.ts';
import { readStrayKeys, readUnkept } from '../../../store/migrations/damage/active-keys.ts';
import { declaredReferences, type ObjectDamage, readDamage } from '../../../store/migrations/damage/schema-damage.ts';
import { readSequencesBehind } from '../../../store/migrations/damage/sequences.ts';
import { missingSettings } from '../../../store/migrations/damage/settings-rows.ts';
import type { Database, Queryable } from '../../../store/sql/database.ts';
import { isMissingObject, sqlState } from '../../../store/sql/database-errors.ts';
import {
  readOrphans,
  readStranded,
  readStrayMessages,
  readUnqueued,
  type WrongRows,
} from '../../../store/views/damage.ts';
import { readSecuredTables } from '../../../store/views/row-security.ts';
import { type Finding, findingsOf, fine, note, problem } from '../../../terminal/view/finding.ts';
import { counted } from '../../../terminal/view/quantities.ts';

/** Reads whole tables, and changes nothing. */
export async function examineDamage(db: Database): Promise<readonly Finding[]> {
  const { version, needed, staleFunctions } = await migrationStatus(db);
  const why =
    version !== needed
      ? `the schema has version ${version}, and this animus knows version ${needed}`
      : 'the SQL functions belong to another version';
  if (version !== needed || staleFunctions.length > 0) return [note('objects', `not compared: ${why}`)];
  const damage = await db.transaction(readDamage);
  const objects = damage.length === 0 ? [fine('objects', WHOLE)] : objectFindings(damage);
  const hidden = (await readSecuredTables(db)).filter(({ hides }) => hides);
  // What is hidden looks as if it were gone, and its remedy would delete what refers to it.
  if (hidden.length > 0) {
    const names = hidden.map(({ table }) => table).join(', ');
    return [...objects, note('rows', `not compared: row security hides rows of ${names} from this login`)];
  }
  const findings: Finding[] = [...objects];
  for (const [check, examine] of Object.entries(CHECKS)) {
    findings.push(...(await findingsOf(check, () => checked(db, check, examine))));
  }
  return findings;
}

const WHOLE =
  'tables, columns, constraints, indexes, views, sequences, functions, triggers and rights match this version of animus';

const CHECKS: Readonly<Record<string, (db: Queryable) => Promise<readonly Finding[]>>> = {
  waits: examineWaits,
  queue: examineQueue,
  keys: examineKeys,
  sequences: examineSequences,
  'settings rows': examineSettingsRows,
  orphans: examineOrphans,
};

/** What policies hide from this login is not missing: the server then refuses the statement. */
async function checked(db: Database, check: string, examine: (db: Queryable) => Promise<readonly Finding[]>) {
  try {
    return await db.transaction(async (tx) => {
      await tx.query('set local row_security = off');
      return examine(tx);
    });
  } catch (error) {
    if (!isMissingObject(error) && sqlState(error) !== '42501') throw error;
    return [note(check, `not checked, because ${messageOf(error)}`)];
  }
}

/** So many are named one by one. */
const MOST_NAMED = 20;

function objectFindings(damage: readonly ObjectDamage[]): Finding[] {
  const named = damage.slice(0, MOST_NAMED).map(({ what, cure }) => {
    if (cure.by === 'hand') return problem('objects', what, cure.advice);
    const also = cure.by === 'statement' ? `, or as the owner of the schema: ${cure.sql};` : '';
    return problem('objects', what, `run: animus db migrate${also}`);
  });
  const more = damage.length - named.length;
  if (more <= 0) return named;
  return [...named, problem('objects', `${more} more objects differ`, 'fix these, and check again')];
}

async function examineWaits(db: Queryable): Promise<readonly Finding[]> {
  const stranded = await readStranded(db);
  if (stranded.count === 0) return [fine('waits', 'all waiting work waits for something')];
  const [first] = stranded.examples;
  const them = stranded.count === 1 ? 'it' : 'them';
  const detail = `${counted(stranded.count, 'work item')} in state waiting with nothing to wait for, so nothing will wake ${them}: ${list(stranded)}`;
  return [problem('waits', detail, `cancel ${them}, and submit the work again: animus work cancel ${first}`)];
}

const MIGRATE = 'run: animus db migrate';

async function examineQueue(db: Queryable): Promise<readonly Finding[]> {
  const [unqueued, stray] = [await readUnqueued(db), await readStrayMessages(db)];
  const without = `${counted(unqueued.count, 'open work item')} without a message in the queue animus_work: ${list(unqueued)}`;
  const of = `${counted(stray.count, 'message')} in the queue animus_work for no open work item: ${list(stray)}`;
  const problems = [...(unqueued.count > 0 ? [without] : []), ...(stray.count > 0 ? [of] : [])];
  return mended('queue', problems, 'each open work item has exactly one message');
}

/** `db migrate` mends all of them. */
function mended(check: string, problems: readonly string[], well: string): readonly Finding[] {
  return problems.length > 0 ? problems.map((detail) => problem(check, detail, MIGRATE)) : [fine(check, well)];
}

async function examineKeys(db: Queryable): Promise<readonly Finding[]> {
  const [unkept, stray] = [await readUnkept(db), await readStrayKeys(db)];
  const without = `${counted(unkept.count, 'open work item')} whose dedup_key is not in animus.active_keys, so duplicates are not recognised: ${list(unkept)}`;
  const of = `${counted(stray.count, 'row')} of animus.active_keys for no open work, so work submitted with that key is never done: ${list(stray)}`;
  const problems = [...(unkept.count > 0 ? [without] : []), ...(stray.count > 0 ? [of] : [])];
  return mended('keys', problems, 'each dedup_key of work that is queued finds its item');
}

async function examineSequences(db: Queryable): Promise<readonly Finding[]> {
  const problems = (await readSequencesBehind(db)).map(
    ({ sequence, column, used }) =>
      `${sequence} is behind ${column}, which has reached ${used}: the next rows are refused`,
  );
  return mended('sequences', problems, 'no sequence will repeat a number');
}

async function examineSettingsRows(db: Queryable): Promise<readonly Finding[]> {
  const missing = await missingSettings(db);
  const lost = 'values that a person had set there (memory limits, days until a skill is stale) are lost with them';
  const problems = missing.length === 0 ? [] : [`animus.settings lacks ${missing.join(', ')}; ${lost}`];
  return mended('settings rows', problems, 'animus.settings has all its rows');
}

async function examineOrphans(db: Queryable): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (const reference of await declaredReferences()) {
    const orphans = await readOrphans(db, reference);
    if (orphans.count === 0) continue;
    const { table, columns, target } = reference;
    const detail = `${counted(orphans.count, 'row')} of animus.${table} whose ${columns.join(', ')} is not in animus.${target}: ${list(orphans)}`;
    const remedy = `restore animus.${target} from a backup, or run as the owner of the schema: delete from animus.${table} c where ${orphans.condition};`;
    findings.push(problem('orphans', detail, remedy));
  }
  return findings.length > 0 ? findings : [fine('orphans', 'no row refers to a row that does not exist')];
}

function list({ count, examples }: WrongRows): string {
  return examples.join(', ') + (count > examples.length ? ', …' : '');
}
