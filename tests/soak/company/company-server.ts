/** A server as a company has it: settings of its own, a publication of all tables with a subscriber, an owner and logins without superuser rights. */
import { onTestFinished } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { createRoleStatements, ROLES } from '../../../src/store/migrations/roles.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { COLLIDING, configure, SETTINGS } from '../../store/postgres/setting-matrix.ts';
import { onDatabase } from '../../support/database.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.ts';
import { emptyTables, prepareSubscriber, subscribe } from '../../support/subscriber.ts';
import { recordStory } from '../../support/workload/effects.ts';
import { prepareTroubles } from '../delays.ts';
import { prepareSlowDisk } from '../hazards.ts';

export interface Company {
  readonly postgres: PostgresServer;
  readonly subscriber: Database;
  /** A superuser's, to the database of animus. */
  readonly adminUrl: string;
  /** What daemons and commands use. */
  readonly ownerUrl: string;
  /** A login of an application, with one role of animus. */
  readonly urls: Readonly<Record<Login, string>>;
}

const LOGINS = { shop: 'animus_submitter', boss: 'animus_operator', viewer: 'animus_reader' } as const;
export type Login = keyof typeof LOGINS;

/** An application could not go on with these, or not read a view. */
const LEFT_OUT = [
  'session_replication_role',
  'exit_on_error',
  'restrict_nonsystem_relation_kind',
  'client_min_messages',
];

/** One value of each name, the first: `serializable`, `German, DMY`, … The schema `app` has names of Postgres and of animus. */
const TOGETHER = SETTINGS.filter(
  ({ name }, n) => !LEFT_OUT.includes(name) && SETTINGS.findIndex((other) => other.name === name) === n,
).map((setting) => (setting.name === 'search_path' ? { ...setting, value: 'public, app, pg_catalog' } : setting));

/** Time-outs that the operator of a server gives to logins; animus raises those of its sessions. */
const SHORT = { lock_timeout: '2s', statement_timeout: '10s', idle_in_transaction_session_timeout: '10s' };

export async function startCompany(): Promise<Company> {
  const [postgres, other] = await Promise.all([
    startPostgresServer(['-c', 'wal_level=logical', '-c', 'max_prepared_transactions=20']),
    startPostgresServer(),
  ]);
  onTestFinished(() => other.stop());
  await onDatabase(postgres.url, async (admin) => {
    for (const statement of createRoleStatements(ROLES)) await admin.query(statement);
    await admin.query(`create role company login password 'p'`);
    for (const [login, role] of Object.entries(LOGINS))
      await admin.query(`create role ${login} login password 'p' in role ${role}`);
    await admin.query('create database shop owner company');
    for (const login of ['company', ...Object.keys(LOGINS)])
      for (const [name, value] of Object.entries(SHORT))
        await admin.query(`alter role ${login} in database shop set ${name} = '${value}'`);
  });
  await onDatabase(other.url, (admin) => admin.query('create database shop'));
  const adminUrl = at(postgres.url, 'postgres', 'test');
  const ownerUrl = at(postgres.url, 'company', 'p');
  await onDatabase(adminUrl, async (admin) => {
    await admin.query(COLLIDING);
    await configure(admin, TOGETHER);
    await admin.query('grant usage on schema app to public');
    // It is there before animus comes.
    await admin.query('create publication warehouse for all tables with (publish_via_partition_root = true)');
  });
  await onDatabase(ownerUrl, (owner) => migrate(owner));
  const subscriber = openPostgres(at(other.url, 'postgres', 'test'), { poolSize: 1, applicationName: 'warehouse' });
  onTestFinished(() => subscriber.close());
  await prepareSubscriber(subscriber);
  const login = (name: Login) => at(postgres.url, name, 'p');
  return {
    postgres,
    subscriber,
    adminUrl,
    ownerUrl,
    urls: { shop: login('shop'), boss: login('boss'), viewer: login('viewer') },
  };
}

/** Tables of the soak and of the application, on both servers; then subscribes. */
export async function beginSubscription({ subscriber, adminUrl }: Company, db: Database): Promise<void> {
  await subscriber.query('create schema app; create table app.work_items (id int)');
  await recordStory(subscriber);
  await prepareSlowDisk(subscriber);
  await prepareTroubles(subscriber);
  for (const each of [db, subscriber]) {
    // Tables without a key that are updated.
    await each.query('alter table troubles replica identity full; alter table slow_disk replica identity full');
    await each.query(SHOP);
  }
  await db.query(GRANTS);
  await emptyTables(subscriber);
  await subscribe(subscriber, adminUrl);
}

/** `works`: how many items an order has. A trigger of `shelf` submits work. */
const SHOP = `
  create schema shop;
  create table shop.orders (id uuid primary key, kind text not null, works int not null, note text not null, at timestamptz not null default now());
  create table shop.told (id uuid primary key, item uuid not null);
  create table shop.plans (id uuid primary key, added_at timestamptz not null, removed_at timestamptz);
  create table shop.notes (id uuid primary key, content text not null unique);
  create table shop.shelf (id uuid primary key, changes int not null);
  create function shop.recount() returns trigger language plpgsql as $$
  begin
    insert into animus.work_items (faculty, description, params) values ('worker', 'mark ' || new.id, jsonb_build_object('order', new.id));
    return null;
  end $$;
  create trigger recount after update on shop.shelf for each row execute function shop.recount()`;

const GRANTS = `
  grant usage on schema shop to public;
  grant select, insert, update, delete on all tables in schema shop to shop, boss;
  grant usage on schema pgmq to shop;
  grant insert, select on pgmq.q_animus_inbox to shop;
  grant usage on all sequences in schema pgmq to shop`;

function at(server: string, user: string, password: string): string {
  const url = new URL(server);
  [url.pathname, url.username, url.password] = ['/shop', user, password];
  return url.href;
}
