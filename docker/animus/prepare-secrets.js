// Runs at each `up`, as root, before the appliance's services start: hands each of them the secrets it needs, and no other,
// as files that only it can read. What the operator gives lies in GIVEN; the database's passwords are made up when they are
// not given, once, and kept in the volume of the database.
import { randomBytes } from 'node:crypto';
import { chownSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const GIVEN = '/given';
const ROOT = 0;
const NODE = 1000;
const PASSWORDS = ['postgres_password', 'animus_owner_password', 'animus_password'];
/** One secret is one line, far shorter than this. */
const MAX_BYTES = 64 * 1024;

const given = readGiven();
const passwords = Object.fromEntries(PASSWORDS.map((name) => [name, given[name] ?? keptPassword(name)]));
const forModels = Object.fromEntries(Object.entries(given).filter(([name]) => !PASSWORDS.includes(name)));
hand('/for/postgres', passwords, ROOT);
hand('/for/migrate', { database_url: urlOf('animus_owner', passwords.animus_owner_password) }, NODE);
hand('/for/animus', { database_url: urlOf('animus', passwords.animus_password), ...forModels }, NODE);
process.stdout.write(`given to the daemon: ${['database_url', ...Object.keys(forModels)].join(', ')}\n`);

/** The operator's secrets by name; everything that is no secret's name is refused, but for a page that explains. */
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

/** What an earlier run made up; else a new one. */
function keptPassword(name) {
  const path = join('/for/postgres', name);
  return existsSync(path) ? readFileSync(path, 'utf8') : randomBytes(24).toString('hex');
}

function urlOf(role, password) {
  return `postgres://${role}:${encodeURIComponent(password)}@postgres:5432/animus`;
}

/** Makes the directory hold exactly these files. Whole or not at all: a reader never sees half a secret, nor one that is not yet its own. */
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
