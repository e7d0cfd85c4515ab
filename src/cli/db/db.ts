/** `animus db …`: the database and its schema. */
import type { Command } from 'commander';
import { migrationStatus } from '../../store/migrations/compatibility.ts';
import { missingQueues, type RestoredQueues } from '../../store/migrations/restore-queues.ts';
import { createRoleStatements, type RolesState, rolesState } from '../../store/migrations/roles.ts';
import { type QueueMetrics, queueMetrics } from '../../store/views/queue-metrics.ts';
import {
  addCommand,
  addGroup,
  type CommonOptions,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';
import { withRawDatabase } from '../../terminal/command/database.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import type { Part } from '../../terminal/view/part.ts';
import { counted, duration, grouped } from '../../terminal/view/quantities.ts';
import { addPsqlCommand } from './db-psql.ts';
import { addSqlCommand } from './db-sql.ts';

/** Adds `animus db migrate|status|sql|psql`. */
export function addDbCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'db', 'the database and its schema');
  addCommand(group, 'migrate', {
    summary: 'migrate the schema to the version this animus needs; safe to repeat and to run concurrently',
    examples: ['DATABASE_URL=postgres://ada@db/work animus db migrate'],
  })
    .option('--verbose', 'name each migration that was applied')
    .action(run(migrateCommand));
  addCommand(group, 'status', {
    summary:
      'compare the schema with what this version of animus needs, without changing anything; exits 5 when they differ',
    examples: ['animus db status', 'animus db status --json'],
  }).action(run(statusCommand));
  addSqlCommand(group, run);
  addPsqlCommand(group, run);
}

interface MigrateCommandOptions extends CommonOptions {
  readonly verbose?: boolean;
}

async function migrateCommand(invocation: Invocation, { verbose }: MigrateCommandOptions): Promise<number> {
  const { output } = invocation;
  const startedMs = performance.now();
  const { migrate } = await import('../../store/migrations/migrate.ts');
  const { where, before, result, roles } = await withRawDatabase(invocation, async (db) => ({
    where: db.where,
    before: await rolesState(db),
    result: await migrate(db, {
      putBackFunctions: true,
      pgmqSchema: (await invocation.reach()).pgmqSchema,
      onProgress: (step) => output.progress(step && `migrating the schema at ${db.where}: ${step.done} of ${step.of}`),
    }),
    roles: await rolesState(db),
  }));
  const { applied, functions, restored, mended, version } = result;
  const granted = [...before.missing, ...before.ungranted].filter(
    (name) => !roles.missing.includes(name) && !roles.ungranted.includes(name),
  );
  output.document({ where, version, applied, functions, restored, mended, roles: { ...roles, granted } });
  if (verbose) for (const name of applied) output.line(styled('applied  ', 'green'), name);
  if (applied.length + functions.length > 0) {
    const what = [counted(applied.length, 'migration'), counted(functions.length, 'file') + ' of functions'];
    output.line(styled('applied  ', 'green'), `${what.join(' and ')} in ${duration(performance.now() - startedMs)}`);
  }
  for (const line of restoredLines(restored)) output.line(styled('restored ', 'green'), line);
  for (const what of mended) output.line(styled('mended   ', 'green'), what);
  for (const name of granted)
    output.line(styled('granted  ', 'green'), `${name}  `, styled(ROLE_RIGHTS[name] ?? '', 'dim'));
  const restoredNothing = restoredLines(restored).length + mended.length === 0;
  if (applied.length + functions.length + granted.length === 0 && restoredNothing) output.line('nothing to do');
  output.line(`the schema at ${where} is at version ${version}`);
  showRoles(output, roles);
  return 0;
}

/** What was missing of the queues, in words. */
function restoredLines({ queues, added, removed }: RestoredQueues): string[] {
  const lost = queues.includes('animus_inbox') ? '; their messages are lost, except those of open work' : '';
  return [
    ...(queues.length > 0 ? [`the pgmq queues ${queues.join(', ')}${lost}`] : []),
    ...(added > 0 ? [`${counted(added, 'message')} of open work`] : []),
    ...(removed > 0 ? [`archived ${counted(removed, 'message')} that belonged to no open work`] : []),
  ];
}

/** What a login gets by membership; docs/sql-api.md has the whole table. */
const ROLE_RIGHTS: Readonly<Record<string, string>> = {
  animus_submitter: 'insert work and see its own',
  animus_reader: 'read all work',
  animus_operator: 'also cancel, retry, pause and schedule',
  animus_daemon: 'claim work and run it',
  animus_gateway: 'act for people, one per transaction',
};

async function statusCommand(invocation: Invocation, _options: CommonOptions): Promise<number> {
  const { output } = invocation;
  const { where, kind, status, queues, missing, roles } = await withRawDatabase(invocation, async (db) => ({
    where: db.where,
    kind: db.kind,
    status: await migrationStatus(db),
    queues: await queueMetrics(db),
    missing: await missingQueues(db),
    roles: await rolesState(db),
  }));
  const current =
    status.migrations.every(({ state }) => state === 'applied') && status.staleFunctions.length + missing.length === 0;
  output.document({
    where,
    kind,
    current,
    version: status.version,
    needed: status.needed,
    migrations: status.migrations.map(({ appliedAt, ...each }) => ({ ...each, applied_at: appliedAt })),
    stale_functions: status.staleFunctions,
    queues,
    missing_queues: missing,
    roles,
  });
  output.line(`${kind} database at ${where}: version ${status.version}, this version of animus needs ${status.needed}`);
  output.table(
    [{ title: 'MIGRATION', shrink: true }, { title: 'STATE' }, { title: 'APPLIED' }],
    status.migrations.map(({ name, state, appliedAt }) => [
      name,
      migrationLabel(state),
      appliedAt?.toISOString().slice(0, 19) ?? '',
    ]),
  );
  for (const name of status.staleFunctions) output.line(styled('stale    ', 'yellow'), name);
  showQueues(output, queues);
  showRoles(output, roles);
  if (missing.length > 0) output.note(`queues missing from pgmq: ${missing.join(', ')}`);
  if (!current) output.note('the schema is not what this version of animus needs; run: animus db migrate');
  return current ? 0 : 5;
}

function showQueues(output: Output, queues: readonly QueueMetrics[]): void {
  if (queues.length === 0) return;
  output.line();
  output.table(
    [
      { title: 'QUEUE', shrink: true },
      { title: 'MESSAGES', align: 'right' },
      { title: 'OLDEST', align: 'right' },
      { title: 'NEWEST', align: 'right', optional: true },
      { title: 'SENT IN TOTAL', align: 'right', optional: true },
    ],
    queues.map((each) => [
      each.queue,
      grouped(each.messages),
      ago(each.oldest_age_seconds),
      ago(each.newest_age_seconds),
      grouped(each.sent),
    ]),
  );
}

function ago(seconds: number | null): string {
  return seconds === null ? '' : duration(seconds * 1000);
}

/** Prints missing roles and how to create them. Roles are optional, so this is not an error. */
function showRoles(output: Output, { missing, ungranted }: RolesState): void {
  if (missing.length > 0) {
    output.note(`missing roles: ${missing.join(', ')}; a user with CREATEROLE can run this, then: animus db migrate`);
    for (const statement of createRoleStatements(missing)) output.note(`  ${statement}`);
  } else if (ungranted.length > 0) {
    output.note(`roles without their grants here: ${ungranted.join(', ')}; run: animus db migrate`);
  }
}

function migrationLabel(state: 'applied' | 'pending' | 'changed' | 'unknown'): Part {
  return styled(state, state === 'applied' ? 'green' : state === 'pending' ? 'yellow' : 'red');
}
