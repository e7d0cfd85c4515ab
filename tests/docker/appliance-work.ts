/** Faculties for the appliance, and work for them. */
import { readFileSync } from 'node:fs';
import { isAnimusError } from '../../src/core/errors/errors.ts';
import type { Database } from '../../src/store/sql/database.ts';

/** A configuration whose model follows a script, and the faculties that use it. */
export const FILES = {
  'animus.toml': `[daemon]
max_concurrent = 4
lease_seconds = 10
poll_seconds = 0.5
shutdown_grace_seconds = 5
[http]
behind_tls = true
[webhooks]
allow = ["receiver"]
[providers.play]
kind = "scripted"
script = "faculties/scripts/play.toml"
`,
  'faculties/marker.toml': faculty('marker', 'Leave your mark, then wait for the gate.'),
  'faculties/greeter.toml': faculty('greeter', 'Greet.'),
  'faculties/thief.toml': faculty('thief', 'Look for secrets.'),
  ...shippedEngineer(),
  // First a finished call with an effect that must happen once; then a call that is running when the daemon is killed.
  'faculties/scripts/play.toml': `
[[answer]]
turn = 1
when = { system_contains = "Leave your mark" }
[[answer.call]]
tool = "bash"
input = { command = "echo $ANIMUS_WORK_ID >> /srv/shared/marks" }
[[answer]]
turn = 2
when = { system_contains = "Leave your mark" }
[[answer.call]]
tool = "bash"
input = { command = "until [ -e /srv/shared/gate ]; do sleep 0.1; done" }
[[answer]]
turn = 1
when = { system_contains = "Look for secrets" }
[[answer.call]]
tool = "bash"
input = { command = "id -u; cat /run/secrets/* /proc/[0-9]*/environ; env; ls -l /run/secrets; echo looked" }
[[answer]]
turn = 1
when = { system_contains = "careful software engineer" }
[[answer.call]]
tool = "write_file"
input = { path = "haiku.txt", content = "Work waits in a row\\n" }
[[answer]]
turn = 2
when = { system_contains = "careful software engineer" }
[[answer.call]]
tool = "bash"
input = { command = "echo x > by-bash.txt; touch skills/x faculties/x animus.toml; mv skills y; mv faculties z; rm -f animus.toml; true" }
[[answer]]
text = "Done."
[[answer]]
text = "Done."
[[answer]]
text = "Done."
`,
};

/** The faculty of the first task of docs/appliance.md, as it is shipped, with the script in place of its model. */
function shippedEngineer(): Readonly<Record<string, string>> {
  const read = (path: string) => readFileSync(new URL(`../../faculties/${path}`, import.meta.url), 'utf8');
  const hooks = ['remember-files.js', 'verify-change.js', 'workspace-files.js', 'package.json'];
  const files = ['prompts/engineer.md', ...hooks.map((name) => `hooks/${name}`)];
  return {
    'faculties/engineer.toml': read('engineer.toml').replace(/^model = .*/m, 'model = "play/script"'),
    ...Object.fromEntries(files.map((path) => [`faculties/${path}`, read(path)])),
  };
}

function faculty(name: string, systemPrompt: string): string {
  return `[faculty]\nname = "${name}"\ndescription = "Of the appliance's test"\n[faculty.engage]\nmodel = "play/script"\nsystem_prompt = "${systemPrompt}"\ntools = ["bash"]\n`;
}

/** Inserts work as an application and returns its id. */
export async function insert(database: Database, faculty: string): Promise<string> {
  const [row] = await database.query<{ id: string }>(
    `insert into animus.own_work (faculty, description) values ($1, 'from outside') returning id`,
    [faculty],
  );
  return row!.id;
}

/** Null until all of them have completed; any other end is an error. */
export async function completed(database: Database, ids: readonly string[]): Promise<true | null> {
  const rows = await database.query<{ state: string; error: unknown }>(
    `select state, error from animus.work_items where id = any($1::uuid[]) and resolved_at is not null`,
    [ids],
  );
  const other = rows.find(({ state }) => state !== 'completed');
  if (other) throw new Error(`ended otherwise: ${JSON.stringify(other)}`);
  return rows.length === ids.length ? true : null;
}

/** The test is restarting Postgres; any other failure counts. */
export function nullWhileAway(error: unknown): null {
  if (isAnimusError(error, 'db.unreachable')) return null;
  throw error;
}
