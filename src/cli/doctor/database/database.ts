/** Checks the database: reachable, migrated, with its extensions, and able to send notifications. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../../../core/config/config.ts';
import { loadFeatures } from '../../../features/features.ts';
import { checkCompatible, migrationStatus } from '../../../store/migrations/compatibility.ts';
import { createRoleStatements, isLoginOfApplication, rolesState } from '../../../store/migrations/roles.ts';
import { schemaVersion } from '../../../store/migrations/schema-version.ts';
import { clockAheadMs, type DatabaseOffer, databaseOffer } from '../../../store/postgres/health.ts';
import type { Database } from '../../../store/sql/database.ts';
import { readLeftQueues } from '../../../store/views/damage.ts';
import { readKeptRows } from '../../../store/work/retention.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { withRawDatabase } from '../../../terminal/command/database.ts';
import { type Finding, findingsOf, fine, note, problem } from '../../../terminal/view/finding.ts';
import { duration, firstOf } from '../../../terminal/view/quantities.ts';
import { examineWorktrees } from '../worktrees.ts';
import { examineApi } from './api.ts';
import { examineClaims } from './claims.ts';
import { examineConnections } from './connections.ts';
import { examineDamage } from './damage.ts';
import { examineListen } from './listen.ts';
import { examinePgmq } from './pgmq.ts';
import { examinePublications } from './publications.ts';
import { examineRowSecurity } from './row-security.ts';
import { examineSettings } from './settings.ts';

/** Changes nothing: an embedded database that does not exist yet is not created. `deep`: also looks for damage, which reads whole tables. */
export async function examineDatabase(invocation: Invocation, deep: boolean): Promise<readonly Finding[]> {
  const config = await invocation.config();
  const directory = join(config.home, 'db');
  if (config.databaseUrl === null && !existsSync(directory)) {
    return [fine('database', `embedded, in ${directory}: not created yet; the first command creates it`)];
  }
  return findingsOf('database', () =>
    withRawDatabase(invocation, async (db) => {
      const offer = await databaseOffer(db);
      const there = (await schemaVersion(db)) > 0;
      const isApplication = () => isLoginOfApplication(db);
      return [
        fine('database', `${db.kind}, PostgreSQL ${offer.version} at ${db.where}`),
        ...(await findingsOf('schema', () => examineSchema(db), isApplication)),
        ...(await findingsOf('settings', () => examineSettings(db))),
        ...(await findingsOf('connections', () => examineConnections(db, config.daemon.poolSize))),
        ...(await findingsOf('pgmq', () => examinePgmq(db, offer, config.pgmqSchema))),
        examineVector(offer),
        ...(await findingsOf('roles', () => examineRoles(db))),
        ...(there ? await examineContents(db, config, deep, isApplication) : []),
        ...(await findingsOf('clock', () => examineClock(db))),
        ...(await findingsOf('listen', () => examineListen(db))),
      ];
    }),
  );
}

async function examineContents(
  db: Database,
  config: Config,
  deep: boolean,
  isApplication: () => Promise<boolean>,
): Promise<readonly Finding[]> {
  return [
    ...(await findingsOf('api', () => examineApi(db, config))),
    ...(await examineFeatures(db, config, isApplication)),
    ...(await findingsOf('row security', () => examineRowSecurity(db))),
    ...(await findingsOf('publications', () => examinePublications(db))),
    ...(await findingsOf('retention', () => examineRetention(db), isApplication)),
    ...(await findingsOf('worktrees', () => examineWorktrees(db), isApplication)),
    ...(await findingsOf('claims', () => examineClaims(db), isApplication)),
    ...(deep ? await findingsOf('objects', () => examineDamage(db), isApplication) : []),
  ];
}

async function examineFeatures(
  db: Database,
  config: Config,
  isApplication: () => Promise<boolean>,
): Promise<readonly Finding[]> {
  const findings = [];
  for (const { name, doctor } of await loadFeatures()) {
    if (doctor) findings.push(...(await findingsOf(name, async () => (await doctor())(db, config), isApplication)));
  }
  return findings;
}

async function examineSchema(db: Database): Promise<readonly Finding[]> {
  const status = await migrationStatus(db);
  const { version, needed } = status;
  if (version === 0) {
    const queues = [...(await readLeftQueues(db))].map(([schema, names]) => `${schema}: ${names.join(', ')}`);
    const left = queues.length === 0 ? '' : `; queues of an earlier one are left in ${queues.join('; ')}`;
    return [problem('schema', `the database has no animus schema${left}`, 'run: animus db migrate')];
  }
  const differs = status.migrations.filter(({ state }) => state === 'pending' || state === 'changed');
  if (differs.length > 0) {
    const names = firstOf(differs.map(({ name, state }) => `${name} is ${state}`));
    return [problem('schema', `version ${version}, version ${needed} is needed: ${names}`, 'run: animus db migrate')];
  }
  await checkCompatible(db);
  if (version === needed && status.staleFunctions.length > 0) {
    const names = firstOf(status.staleFunctions);
    return [
      problem('schema', `functions differ from those of this version of animus: ${names}`, 'run: animus db migrate'),
    ];
  }
  return [
    fine(
      'schema',
      version === needed ? `version ${version}` : `version ${version}, applied by a later version of animus`,
    ),
  ];
}

function examineVector({ vector }: DatabaseOffer): Finding {
  const check = 'pgvector';
  if (vector === 'installed') return fine(check, 'installed');
  if (vector === 'available')
    return note(check, 'available on the server, not installed in this database', CREATE_VECTOR);
  return note(check, 'not available on the server', INSTALL_VECTOR);
}

const CREATE_VECTOR = 'run as a superuser: create extension vector';
const INSTALL_VECTOR = 'install pgvector on the server; without it, memory is searched by text only';

/** Rows that retention cannot remove, because tables of the application refer to them. */
async function examineRetention(db: Database): Promise<readonly Finding[]> {
  const kept = await readKeptRows(db);
  // The schema is older; the schema check reports that.
  if (kept === null) return [];
  if (kept.length === 0) return [fine('retention', 'no foreign key keeps old rows from being removed')];
  const by = [...new Set(kept.map((row) => `${row.table} by ${row.referenced_by}`))];
  const count = `${kept.length}${kept.length === 1000 ? ' or more' : ''}`;
  const detail = `${count} old row(s) are kept because foreign keys refer to them: ${by.join('; ')}`;
  const remedy =
    'refer by id without a foreign key, or use on delete set null or on delete cascade (docs/operations.md, "Refer to work from your own tables")';
  return [problem('retention', detail, remedy)];
}

/** Without the roles every client needs the owner's password; nothing else depends on them. */
async function examineRoles(db: Database): Promise<readonly Finding[]> {
  const { missing, ungranted } = await rolesState(db);
  if (missing.length > 0) {
    const statements = createRoleStatements(missing).join(' ');
    const remedy = `run as a role that may create roles: ${statements} then: animus db migrate`;
    return [note('roles', `missing: ${missing.join(', ')}`, remedy)];
  }
  if (ungranted.length > 0) {
    return [note('roles', `no rights granted in this database: ${ungranted.join(', ')}`, 'run: animus db migrate')];
  }
  return [fine('roles', 'submitter, reader, operator, daemon, gateway')];
}

const CLOCK_MS = 5000;

/** Work uses only the database's clock; the host's clock is used in logs and spans, and to check certificates. */
async function examineClock(db: Database): Promise<readonly Finding[]> {
  const ms = await clockAheadMs(db);
  const how = `${duration(Math.abs(ms))} ${ms < 0 ? 'behind' : 'ahead of'} the database's`;
  if (Math.abs(ms) < CLOCK_MS) return [fine('clock', `this host's clock is ${how}`)];
  const detail = `this host's clock is ${how}: animus uses the database's, but log times of different hosts cannot be compared`;
  return [note('clock', detail, 'run a time service (chrony, systemd-timesyncd) on both hosts')];
}
