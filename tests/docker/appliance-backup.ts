/** Backup and restore of the appliance, by the commands of docs/appliance.md as they stand there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Appliance, ROOT } from './appliance.ts';

/** Makes a backup, removes the appliance with all its data, makes a new one with other generated passwords, and restores. */
export async function restores(appliance: Appliance): Promise<void> {
  const [backup, intoNew, ontoPlain] = blocksOf('Backup');
  const before = await everything(appliance);
  for (const line of backup!) await appliance.shell(line);
  await appliance.compose('down', '--volumes');
  for (const line of intoNew!) await appliance.shell(line);
  expect(await everything(appliance)).toEqual(before);
  expect(await appliance.inAnimus('animus', 'doctor')).not.toContain('problem');
  await ontoPlainServer(appliance, ontoPlain!);
}

/** What people see of it: work, people, webhooks, logins with the hashes of their passwords, files. */
async function everything(appliance: Appliance) {
  const inPostgres = (sql: string) =>
    appliance.compose('exec', '-T', 'postgres', 'psql', '-U', 'postgres', '-At', 'animus', '-c', sql);
  return {
    work: await inPostgres('select id, faculty, state, outcome from animus.work_items order by id'),
    people: await inPostgres('select * from animus.people order by 1'),
    webhooks: await inPostgres('select id, url, key_mark from animus.webhooks order by id'),
    shop: await inPostgres(`select rolpassword from pg_authid where rolname = 'shop'`),
    rights: await inPostgres(
      `select roleid::regrole, member::regrole from pg_auth_members where member::regrole::text !~ '^pg_' order by 1, 2`,
    ),
    files: await appliance.inAnimus('cat', 'haiku.txt'),
  };
}

/** A server without any role of animus, in a container beside the appliance. */
async function ontoPlainServer(appliance: Appliance, lines: readonly string[]): Promise<void> {
  const name = `${appliance.project}-plain`;
  const empty = join(appliance.directory, 'empty');
  const volumes = `-v ${empty}:/docker-entrypoint-initdb.d -v ${appliance.directory}:/backup:ro -w /backup`;
  const user = '-e PGUSER=postgres -e POSTGRES_PASSWORD=plain --network none';
  await appliance.shell(
    `mkdir -p ${empty} && docker run -d --rm --name ${name} ${user} ${volumes} --entrypoint docker-entrypoint.sh ${appliance.project}-postgres postgres`,
  );
  try {
    await appliance.shell(`until docker exec ${name} pg_isready -q -h 127.0.0.1; do sleep 0.2; done`);
    const [, restore] = [lines.slice(0, 2), lines.at(-1)!];
    await appliance.shell(`docker exec ${name} createdb early`);
    await expect(appliance.shell(`docker exec ${name} ${restore.replace('animus ', 'early ')}`)).rejects.toThrow(
      /role "animus_owner" does not exist/,
    );
    for (const line of lines) await appliance.shell(`docker exec ${name} ${line}`);
    const count = `docker exec ${name} psql -At animus -c 'select count(*) > 5 from animus.work_items'`;
    expect(await appliance.shell(count)).toBe('t\n');
  } finally {
    await appliance.shell(`docker rm -fv ${name}`);
  }
}

/** The lines of each shell block of a section of the page. */
function blocksOf(section: string): string[][] {
  const page = readFileSync(join(ROOT, 'docs/appliance.md'), 'utf8');
  const text = page.split(`## ${section}\n`)[1]!.split('\n## ')[0]!;
  return [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block!.trim().split('\n'));
}
