/** Promise: row security on tables of animus is named with what helps, and rows that it hides are not taken for lost ones. */
import { afterEach, expect, test } from 'vitest';
import { insertWork } from '../../../store/work/queue-driver.ts';
import { asAdmin, testDatabase } from '../../../support/database.ts';
import { run } from '../../run-cli.ts';
import { examinedSite, FACULTY } from '../examined-site.ts';

const target = testDatabase();
const site = examinedSite();
const database = () => new URL(target.connectionString).pathname.slice(1);
const role = () => `${database()}_owner`;

/** The tables belong to a role without superuser rights, as in a company. */
async function handOver(): Promise<string> {
  await asAdmin((admin) => admin.query(`create role ${role()} login password 'test' createrole`));
  await target.database.query(`
    do $$ declare v record; begin
      for v in select format('alter %s %s owner to ${role()}', case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end, c.oid::regclass) as sql
                 from pg_class c where c.relnamespace in ('animus'::regnamespace, 'pgmq'::regnamespace) and c.relkind in ('r', 'p', 'v', 'S')
                  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S') loop
        execute v.sql; end loop;
      for v in select format('alter function %s owner to ${role()}', p.oid::regprocedure) as sql from pg_proc p
                where p.pronamespace in ('animus'::regnamespace, 'pgmq'::regnamespace) and p.prokind = 'f' loop execute v.sql; end loop;
      alter schema animus owner to ${role()}; alter schema pgmq owner to ${role()}; end $$`);
  await target.database.query(`grant all on database ${database()} to ${role()}`);
  const url = new URL(target.connectionString);
  url.username = role();
  url.password = 'test';
  return url.href;
}

afterEach(async () => {
  await target.database.query(`reassign owned by ${role()} to current_user; drop owned by ${role()}`);
  await asAdmin((admin) => admin.query(`drop role ${role()}`));
});

async function examined(databaseUrl: string) {
  site.write({ 'faculties/clerk.toml': FACULTY.replace(/fallback.*\n/, '') });
  const { findings } = await site.doctor(['--deep'], { databaseUrl });
  const about = (name: string) =>
    findings.filter(({ check }) => check === name).map(({ state, detail, remedy }) => ({ state, detail, remedy }));
  return { problems: findings.filter(({ state }) => state === 'problem').map(({ check }) => check), about };
}

test('forced for the owner: nothing is archived or called an orphan, and the statement that is named cures it', async () => {
  const databaseUrl = await handOver();
  const id = await insertWork(target.database);
  await target.database.query('alter table animus.work_items enable row level security, force row level security');
  const { problems, about } = await examined(databaseUrl);
  expect(problems).toEqual(['row security']);
  const [found] = about('row security');
  expect(found!.detail).toBe('forced on animus.work_items: animus itself does not see the rows, or not all of them');
  expect(about('rows')).toEqual([
    {
      state: 'note',
      detail: 'not compared: row security hides rows of animus.work_items from this login',
      remedy: null,
    },
  ]);
  const env = { ...site.env(), DATABASE_URL: databaseUrl };
  const migrated = await run(['db', 'migrate'], { cwd: site.cwd, env });
  expect({ code: migrated.code, stderr: migrated.stderr }).toEqual({ code: 0, stderr: '' });
  const queued = await target.database.query(
    `select from pgmq.q_animus_work m join animus.work_items w on w.queue_msg_id = m.msg_id where w.id = $1`,
    [id],
  );
  expect(queued).toHaveLength(1);
  await target.database.query(found!.remedy!.replace(/^run as \S+: /, ''));
  expect((await examined(databaseUrl)).problems).toEqual([]);
});

test('on without force: animus works, and what other logins feel is a note', async () => {
  const databaseUrl = await handOver();
  await target.database.query('alter table animus.work_items enable row level security');
  const { problems, about } = await examined(databaseUrl);
  await target.database.query('alter table animus.work_items disable row level security');
  expect(problems).toEqual([]);
  expect(about('row security')).toEqual([
    { state: 'note', detail: expect.stringMatching(/^on for animus\.work_items: /), remedy: expect.any(String) },
  ]);
});
