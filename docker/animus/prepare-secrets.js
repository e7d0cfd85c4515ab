// Runs as root on each `up`, before the services of the appliance start. It gives each service only the secrets it needs, as
// files that only this service can read. The operator's secrets are in GIVEN. Database passwords that are not given are
// generated once and kept in the volume `postgres-secrets`. Prints JSON lines, like every service.
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const GIVEN = '/given';
const ROOT = 0;
const NODE = 1000;
const PASSWORDS = ['postgres_password', 'animus_owner_password', 'animus_password', 'animus_api_password'];
/** A secret is one line, much shorter than this. */
const MAX_BYTES = 64 * 1024;

const given = readGiven();
const passwords = Object.fromEntries(PASSWORDS.map((name) => [name, given[name] ?? keptPassword(name)]));
const others = Object.fromEntries(Object.entries(given).filter(([name]) => !PASSWORDS.includes(name)));
const ofTheApi = await namesFor('api', others);
// What each service gets, and who owns the files. docs/appliance.md has the table.
const services = {
  postgres: { uid: ROOT, secrets: passwords },
  migrate: { uid: NODE, secrets: { database_url: urlOf('animus_owner') } },
  // Whatever else there is may be for a provider, a hook or a server of tools.
  animus: { uid: NODE, secrets: { database_url: urlOf('animus'), ...others } },
  api: { uid: NODE, secrets: { database_url: urlOf('animus_api'), ...pick(others, ofTheApi) } },
};
for (const [service, { uid, secrets }] of Object.entries(services)) hand(`/for/${service}`, secrets, uid);
const names = Object.fromEntries(Object.entries(services).map(([name, { secrets }]) => [name, Object.keys(secrets)]));
// For `animus doctor`, which compares; names only. Its own name begins with a dot, so that it is not taken for a secret.
write('/for/animus', '.given.json', JSON.stringify(names), NODE);
for (const [service, secrets] of Object.entries(names)) say('info', 'secrets given', { service, secrets });

/** Reads the operator's secrets by name. Refuses files whose names are not valid, except README.md and hidden files. */
function readGiven() {
  const secrets = {};
  for (const entry of readdirSync(GIVEN, { withFileTypes: true })) {
    const { name } = entry;
    if (name.startsWith('.') || name === 'README.md') continue;
    if (!/^[a-z][a-z0-9_]*$/.test(name)) refuse(name, 'name it like anthropic_api_key: lower-case letters, digits, _');
    if (name === 'database_url') refuse(name, 'the appliance has a database of its own; give animus_password instead');
    if (!entry.isFile()) refuse(name, 'expected a file');
    const content = readFileSync(join(GIVEN, name));
    if (content.length > MAX_BYTES) refuse(name, `expected a secret of at most ${MAX_BYTES} bytes`);
    const value = content.toString('utf8').trim();
    if (value === '') refuse(name, 'it is empty; write the secret into it, or remove it');
    secrets[name] = value;
  }
  return secrets;
}

/** The names of the secrets that a service reads with this configuration. If it is broken, the services report that; until then those of the default are given. */
async function namesFor(service, secrets) {
  const { loadConfig } = await import('../../src/catalog/config/load-config.ts');
  const { loadSections } = await import('../../src/features/features.ts');
  const { secretVariables } = await import('../../src/core/config/secret-variables.ts');
  const env = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [name.toUpperCase(), value]));
  const sections = await loadSections();
  const load = (cwd) => loadConfig({ env: { HOME: '/', DATABASE_URL: urlOf('animus'), ...env }, cwd }, sections);
  return secretVariables(configuration(load))
    .filter(({ users }) => users.includes(service))
    .map(({ name }) => name.toLowerCase());
}

function configuration(load) {
  try {
    return load('/srv/workspace');
  } catch (error) {
    say('warn', 'the configuration has problems; secrets are given as without it', { error: error.message });
    return load('/nonexistent');
  }
}

/** Returns the password that an earlier run generated, or generates one. */
function keptPassword(name) {
  const path = join('/for/postgres', name);
  return existsSync(path) ? readFileSync(path, 'utf8') : randomBytes(24).toString('hex');
}

function urlOf(role) {
  return `postgres://${role}:${encodeURIComponent(passwords[`${role}_password`])}@postgres:5432/animus`;
}

function pick(secrets, wanted) {
  return Object.fromEntries(Object.entries(secrets).filter(([name]) => wanted.includes(name)));
}

/** Makes the directory contain exactly these files. */
function hand(directory, secrets, uid) {
  for (const [name, value] of Object.entries(secrets)) write(directory, name, value, uid);
  for (const name of readdirSync(directory)) if (!(name in secrets)) rmSync(join(directory, name));
}

/** The file appears atomically: a reader never sees a partial secret, or a file that it does not own yet. */
function write(directory, name, value, uid) {
  const path = join(directory, name);
  const next = `${path}.next`;
  rmSync(next, { force: true });
  writeFileSync(next, value, { mode: 0o400 });
  chownSync(next, uid, uid);
  renameSync(next, path);
}

function refuse(name, advice) {
  say('error', `docker/secrets/${name}: ${advice}`, {});
  process.exit(1);
}

function say(level, message, fields) {
  process.stdout.write(`${JSON.stringify({ level, time: new Date().toISOString(), ...fields, message })}\n`);
}
