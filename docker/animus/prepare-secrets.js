// Runs as root on each `up`, before the services of the appliance start. It gives each service only the secrets it needs, as
// files that only this service can read. The operator's secrets are in GIVEN. Database passwords that are not given are
// generated once and kept in the volume `postgres-secrets`.
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
const forModels = Object.fromEntries(Object.entries(given).filter(([name]) => !PASSWORDS.includes(name)));
hand('/for/postgres', passwords, ROOT);
hand('/for/migrate', { database_url: urlOf('animus_owner', passwords.animus_owner_password) }, NODE);
hand('/for/api', { database_url: urlOf('animus_api', passwords.animus_api_password) }, NODE);
hand('/for/animus', { database_url: urlOf('animus', passwords.animus_password), ...forModels }, NODE);
process.stdout.write(`given to the daemon: ${['database_url', ...Object.keys(forModels)].join(', ')}\n`);

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

/** Returns the password that an earlier run generated, or generates one. */
function keptPassword(name) {
  const path = join('/for/postgres', name);
  return existsSync(path) ? readFileSync(path, 'utf8') : randomBytes(24).toString('hex');
}

function urlOf(role, password) {
  return `postgres://${role}:${encodeURIComponent(password)}@postgres:5432/animus`;
}

/**
 * Makes the directory contain exactly these files. Each file appears atomically: a reader never sees a partial secret, or a
 * file that it does not own yet.
 */
function hand(directory, secrets, uid) {
  for (const [name, value] of Object.entries(secrets)) {
    const path = join(directory, name);
    const next = `${path}.next`;
    rmSync(next, { force: true });
    writeFileSync(next, value, { mode: 0o400 });
    chownSync(next, uid, uid);
    renameSync(next, path);
  }
  for (const name of readdirSync(directory)) if (!(name in secrets)) rmSync(join(directory, name));
}

function refuse(name, advice) {
  process.stderr.write(`docker/secrets/${name}: ${advice}\n`);
  process.exit(1);
}
