/**
 * The secrets on this host that neither commands nor file tools of a focus may reach, and the sockets that would bypass the
 * isolation.
 */
import { existsSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { FixedConfig } from '../../core/config/config.ts';
import { secretVariables } from '../../core/config/secret-variables.ts';
import type { Environment } from '../../core/config/source/environment.ts';
import { isSecretKey } from '../../core/secrets/secrets.ts';
import { isWithin } from '../../process/file-rules.ts';
import { unixSocketsOf } from '../../store/postgres/unix-socket.ts';
import { realPathOf } from './loaded-files.ts';

/** Paths as configured, symlinks not resolved; they need not exist. */
export interface SecretPlaces {
  /** Secrets of animus and its hooks: one that was moved away or displaced stops commands and tools. */
  readonly secrets: readonly string[];
  /**
   * May appear and disappear; hidden while they exist. Besides sockets, these are usual places of secrets that are missing at
   * the start: a command could create and remove such a file, and must not be able to stop all work with it.
   */
  readonly sockets: readonly string[];
  /** CA certificates, which contain no secret: readable even in a directory of secrets. */
  readonly readable: readonly string[];
}

/**
 * ANIMUS_HOME; /run/secrets and where systemd puts credentials; the files that a variable of the environment names as a
 * secret; the files in which the Postgres driver looks up passwords and keys; the socket of the database; and the sockets
 * through which a command could have this user's session, or a container engine, run a program.
 */
export function secretPlaces(config: FixedConfig, env: Environment): SecretPlaces {
  const home = env['HOME'] || homedir();
  const url = config.databaseUrl?.reveal() ?? null;
  const sslkey = new URLSearchParams(url?.split('?')[1] ?? '').get('sslkey');
  const paths = Object.entries(env).filter((entry): entry is [string, string] => isAbsolute(entry[1] ?? ''));
  const ofSessions = paths.filter(([name, value]) => isOfSession(name) && !isShared(value));
  const usual = [...SECRET_DIRECTORIES, join(home, '.pgpass'), join(home, '.postgresql', 'postgresql.key')];
  const missing = usual.filter((path) => !existsSync(path));
  const own = [
    ...usual.filter((path) => !missing.includes(path)),
    env['PGPASSFILE'],
    sslkey,
    env['PGSSLKEY'],
    certificatesOf(config),
    ...secretNames(config).map((name) => env[`${name}_FILE`]),
    ...paths.flatMap(([name, value]) => (namesSecret(name, config) && !isOfSession(name) ? [value] : [])),
  ];
  const named = own.flatMap((path) => (path ? [resolve(path)] : []));
  return {
    secrets: [...new Set([config.home, ...named.filter((path) => !isShared(path))])],
    sockets: [
      ...missing,
      ...databaseSocket(url),
      ...sessionSockets(),
      ...ofSessions.map(([, value]) => value),
      ...ENGINE_SOCKETS,
      ...engineSocket(config),
      ...cloudLogins(config, home),
    ],
    readable: Object.entries(env).flatMap(([name, value]) =>
      value && namesCertificates(name) ? [resolve(value)] : [],
    ),
  };
}

/** An SSH agent or a login to a display: it ends with the user's session, which a daemon may outlive. */
function isOfSession(name: string): boolean {
  return name.endsWith('_SOCK') || name === 'XAUTHORITY';
}

/** Whether an entry of a list means this variable: `NAME*` means all names that begin with NAME. */
export function fitsName(listed: string, name: string): boolean {
  return listed.endsWith('*') ? name.startsWith(listed.slice(0, -1)) : name === listed;
}

/** Tells the variables that contain animus's own secrets, or name files with them, and all that begin with ANIMUS_. */
export function ownSecrets(config: FixedConfig): (name: string) => boolean {
  const secrets = new Set(secretNames(config).flatMap((name) => [name, `${name}_FILE`]));
  return (name) => secrets.has(name) || name.startsWith('ANIMUS_');
}

/** The variables from which animus reads its own secrets. */
export function secretNames(config: FixedConfig): readonly string[] {
  return secretVariables(config).map(({ name }) => name);
}

const SECRET_DIRECTORIES = ['/run/secrets', '/var/run/secrets'];

/** Access to one of these sockets is enough to run any program outside of all namespaces. */
const ENGINE_SOCKETS = [
  '/run/docker.sock',
  '/run/containerd',
  '/run/podman',
  '/run/crio',
  '/run/buildkit',
  '/run/systemd/private',
  '/run/dbus/system_bus_socket',
  '/run/libvirt',
];

/** With the client certificate of an engine, any program can be run on its host. */
function certificatesOf({ sandbox: { endpoint } }: FixedConfig): string | null {
  return endpoint.kind === 'tcp' ? endpoint.certificates : null;
}

function engineSocket({ sandbox: { endpoint } }: FixedConfig): readonly string[] {
  return endpoint.kind === 'unix' ? [endpoint.path] : [];
}

/** The logins of cloud command lines, if a provider uses one: a command of an agent could print its credentials as well. */
function cloudLogins({ providers }: FixedConfig, home: string): readonly string[] {
  const usesCommand = [...providers.values()].some((each) => each.kind !== 'scripted' && each.credentials !== null);
  return usesCommand ? ['.aws', '.azure', '.config/gcloud', '.kube'].map((name) => join(home, name)) : [];
}

/** A service manager, tmux or screen of the same user runs any program that a command asks for. */
function sessionSockets(): readonly string[] {
  const uid = process.getuid?.();
  return uid === undefined ? [] : [`/run/user/${uid}`, `/tmp/tmux-${uid}`, '/run/screen'];
}

/** With peer or trust, access to the socket is enough to log in as the role. In a shared directory only the socket itself is hidden. */
function databaseSocket(url: string | null): readonly string[] {
  if (url === null) return [];
  return unixSocketsOf(url).map((socket) => (isShared(socket.directory) ? socket.file : socket.directory));
}

/** It contains files that every program needs. */
export function isShared(directory: string): boolean {
  const needed = [homedir(), process.cwd(), tmpdir(), '/tmp', '/var/tmp', '/dev/shm', '/usr/bin', '/etc', '/run'];
  return needed.some((path) => isWithin(directory, realPathOf(path)) || isWithin(directory, path));
}

/** The value of such a variable is the path of a secret: its name shows it, or it is a `*_FILE` passed to hooks. */
function namesSecret(name: string, { hooks }: FixedConfig): boolean {
  if (namesCertificates(name)) return false;
  const isPassed = hooks.environment.some((listed) => fitsName(listed, name));
  return isSecretKey(name) || hasSecretWord(name) || (isPassed && name.endsWith('_FILE'));
}

/** Words of names that stand for a secret, or for a file with secrets. */
const SECRET_WORDS: ReadonlySet<string> = new Set(
  (
    'KEY KEYS KEYFILE KEYRING KEYSTORE KEYTAB TOKEN TOKENS TOKENFILE SECRET SECRETS PASS PASSWD PASSWORD PASSFILE ' +
    'PASSPHRASE CREDENTIALS CREDS AUTH JWT PAT NETRC KUBECONFIG PGSERVICEFILE GNUPGHOME'
  ).split(' '),
);

function hasSecretWord(name: string): boolean {
  const words = name.toUpperCase().split('_');
  return !words.includes('PUBLIC') && words.some((word) => SECRET_WORDS.has(word));
}

function namesCertificates(name: string): boolean {
  return /(^|_)(CA|CACERT|CERT|CERTS|CAINFO|CAPATH)(_|$)/.test(name) && !hasSecretWord(name);
}
