/** What `animus db migrate` puts back of a schema that somebody has changed by hand: everything that loses nothing and does not take long. */
import type { Database, Queryable } from '../sql/database.ts';
import { readSecuredTables } from '../views/row-security.ts';
import { attempt } from './attempt.ts';
import { restoreRecord } from './bookkeeping.ts';
import { restoreKeys } from './damage/active-keys.ts';
import { type ObjectDamage, readDamage } from './damage/schema-damage.ts';
import { readSequencesBehind } from './damage/sequences.ts';
import { restoreSettings } from './damage/settings-rows.ts';
import type { SchemaFiles } from './migration-files.ts';
import { schemaVersion } from './schema-version.ts';
import { type TurnOptions, takeTurn } from './take-turn.ts';
import { readUnfinished, setUnfinished } from './unfinished.ts';

export interface MendOptions extends TurnOptions {
  /** Default: the project's own migrations. Only of these it is known what they make. */
  readonly directory?: string;
  /**
   * Also brings back functions that another animus has replaced, and what somebody has dropped or changed and can be put back without a loss; default false: a
   * daemon that starts again during an upgrade must not.
   */
  readonly putBackFunctions?: boolean;
}

/** Whether somebody has asked for it, and it is known how the schema should be. */
export function mends({ putBackFunctions = false, directory }: MendOptions): boolean {
  return putBackFunctions && directory === undefined;
}

/**
 * What functions and queues need: sequences, defaults, rows of settings. Only of a schema that has the version of these files. Returns what was put right, in
 * words. Nothing where row security hides rows: what is hidden looks as if it were gone.
 */
export async function mendBefore(
  database: Database,
  files: SchemaFiles,
  options: MendOptions,
): Promise<readonly string[]> {
  if (!mends(options) || (await hidesRows(database))) return [];
  return takeTurn(database, 'what was changed by hand', options, async (tx) => {
    const recorded = await restoreRecord(tx, files.migrations, async () => (await readDamage(tx)).filter(isLoss));
    if ((await schemaVersion(tx)) !== files.migrations.length) return [];
    const damage = (await readDamage(tx)).filter(({ object }) => object.kind !== 'trigger');
    const mended = [...recorded, ...(await mendObjects(tx, damage))];
    for (const { sequence, cure } of await readSequencesBehind(tx)) {
      if ((await attempt(tx, cure)) === null) mended.push(`sequence ${sequence} was behind its table`);
    }
    const settings = await restoreSettings(tx);
    if (settings.length > 0) await setUnfinished(tx, 'functions');
    return [...mended, ...settings.map((key) => `row ${key} of animus.settings was missing`)];
  });
}

async function hidesRows(db: Queryable): Promise<boolean> {
  return (await readSecuredTables(db)).some(({ hides }) => hides);
}

const isLoss = ({ object: { kind } }: ObjectDamage) => kind !== 'function' && kind !== 'view' && kind !== 'schema';

/**
 * Drops functions and views that are not those of these files, where nothing depends on them: what has other columns or another result cannot be replaced.
 * Returns all damage; what the files put right means that they have to be applied.
 */
export async function dropChanged(tx: Queryable): Promise<readonly ObjectDamage[]> {
  const damage = await readDamage(tx);
  for (const { object, what, cure } of damage) {
    if (cure.by === 'functions' && !what.endsWith('is missing'))
      await attempt(tx, `drop ${object.kind} ${object.name}`);
  }
  return damage;
}

/** What needs the functions: triggers, keys. `damage`: null if the files have been applied since it was read. */
export async function mendAfter(tx: Queryable, damage: readonly ObjectDamage[] | null): Promise<readonly string[]> {
  const left = damage ?? (await readDamage(tx));
  const mended = await mendObjects(tx, left);
  const { added, removed } = (await hidesRows(tx)) ? { added: 0, removed: 0 } : await restoreKeys(tx);
  if (added > 0) mended.push(`${added} keys of open work were missing`);
  if (removed > 0) mended.push(`${removed} keys belonged to no open work`);
  const rights = left.filter(({ cure }) => cure.by === 'grants');
  if (rights.length > 0 && (await readUnfinished(tx)) !== 'functions') await setUnfinished(tx, 'roles');
  return [...mended, ...rights.map(({ what }) => what)];
}

async function mendObjects(tx: Queryable, damage: readonly ObjectDamage[]): Promise<string[]> {
  const mended: string[] = [];
  for (const { what, cure } of damage) {
    // What the server refuses stays as it is, and `animus doctor --deep` names it.
    if (cure.by === 'statement' && (await attempt(tx, cure.sql)) === null) mended.push(what);
  }
  return mended;
}
