/** What the containers and logins of the appliance may not do. */
import { expect } from 'vitest';
import type { Database } from '../../src/store/sql/database.ts';
import { type Appliance, docker } from './appliance.ts';
import { callsLittleOfTheKernel } from './appliance-system-calls.ts';

/** The services of the appliance that have containers. */
export const SERVICES = ['secrets', 'postgres', 'migrate', 'animus', 'api'];

/** No root, no superuser, no capability; nothing is writable but the volumes. `shop`: a login that may only submit. */
export async function hasMinimalRights(appliance: Appliance, database: Database, shop: Database): Promise<void> {
  expect(await appliance.inAnimus('id', '-u')).toBe('1000\n');
  expect(await appliance.inAnimus('grep', 'CapEff', '/proc/self/status')).toMatch(/CapEff:\s+0+\n/);
  const touch =
    'touch /opt/animus/x /srv/workspace/faculties/x /usr/x 2>&1; rm -f /srv/workspace/animus.toml 2>&1; true';
  expect(await appliance.inAnimus('sh', '-c', touch)).toMatch(
    /(Read-only file system[^]*){3}(Device or resource busy|Read-only)/,
  );
  const services = await Promise.all(SERVICES.map(appliance.containers));
  const format = '{{range .Mounts}}{{if eq .Type "volume"}}{{println .Name}}{{end}}{{end}}';
  const volumes = await docker(['inspect', '--format', format, ...services.flat()]);
  // `down` would leave an anonymous volume behind.
  const nameless = volumes.split('\n').filter((name) => name !== '' && !name.startsWith(appliance.project));
  expect(nameless).toEqual([]);
  const powers = await database.query(
    `select rolname from pg_roles where rolname !~ '^(pg_|postgres$)' and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls)`,
  );
  expect(powers).toEqual([]);
  await expect(database.query('alter table animus.work_items add column x int')).rejects.toThrow(/must be owner/);
  await expect(shop.query('select * from animus.work_items')).rejects.toThrow(/permission denied/);
  const [extensions] = await database.query<{ names: string }>(
    `select string_agg(extname, ' ' order by extname) as names from pg_extension`,
  );
  expect(extensions?.names).toBe('plpgsql vector');
  expect(await appliance.inAnimus('python3', '-c', 'import json; print(json.dumps({}))')).toBe('{}\n');
  const ports = await docker(['port', (await appliance.containers('postgres'))[0]!]);
  expect(ports).toMatch(/^5432\/tcp -> 127\.0\.0\.1:\d+\n$/);
  await callsLittleOfTheKernel(appliance);
}
