/** Clones a git repository that contains skills, without letting it run or fetch anything else. */
import { spawn } from 'node:child_process';
import type { Environment } from '../../../core/config/source/environment.ts';
import { AnimusError, usageError } from '../../../core/errors/errors.ts';
import { interruption } from '../../../core/errors/interruption.ts';

/** The URL of a repository, in a form that git takes for nothing else, and the protocol it is fetched by. */
export interface GitSource {
  readonly url: string;
  readonly protocol: 'https' | 'http' | 'ssh';
}

/** `user@host:path` */
const SCP_LIKE = /^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:(?!\/\/)[^\s]+$/;

/** How long a clone may take. */
const TIMEOUT_MS = 300_000;

/**
 * The repository that a source names; null if the source is a directory. Errors: `skill.source` for a URL that is not fetched: another
 * protocol, http to another machine, a password in the URL.
 */
export function gitSource(source: string): GitSource | null {
  if (SCP_LIKE.test(source)) return { url: source, protocol: 'ssh' };
  if (!/^[a-z][a-z0-9+.-]*:/i.test(source)) return null;
  const refuse = (detail: string) => new AnimusError('skill.source', { source: withoutPassword(source), detail });
  if (!URL.canParse(source)) throw refuse('is neither a directory nor the URL of a git repository');
  const { protocol, hostname, password } = new URL(source);
  if (password !== '')
    throw refuse('do not write a password into the URL; clone the repository and give its directory');
  if (protocol === 'https:') return { url: source, protocol: 'https' };
  if (protocol === 'ssh:' && !hostname.startsWith('-')) return { url: source, protocol: 'ssh' };
  // Nobody can change what the own machine answers.
  if (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
    return { url: source, protocol: 'http' };
  throw refuse('is fetched only by https or ssh; for a local repository, give its directory');
}

/**
 * Clones the newest commit of a branch or tag into `directory`, which does not exist yet; returns the commit. Ended by the signal. The
 * user's own configuration of git is not read: it could run programs for what the repository contains. Errors: `skill.source`, `interrupted`.
 */
export async function cloneSkills(
  { url, protocol }: GitSource,
  ref: string | undefined,
  directory: string,
  env: Environment,
  signal: AbortSignal,
): Promise<string> {
  if (ref !== undefined && !/^[A-Za-z0-9_][\w./-]*$/.test(ref))
    throw usageError(`--ref: ${ref} is not a name of a branch or tag`);
  const variables = variablesFor(protocol, env);
  const branch = ref === undefined ? [] : ['--branch', ref];
  const clone = [
    'clone',
    '--quiet',
    '--depth',
    '1',
    '--single-branch',
    '--no-tags',
    '--no-recurse-submodules',
    '--template=',
  ];
  await git([...clone, ...branch, '--', url, directory], variables, url, signal);
  const commit = await git(['-C', directory, 'rev-parse', 'HEAD'], variables, url, signal);
  return commit.trim();
}

function variablesFor(protocol: string, env: Environment): Record<string, string> {
  const kept = KEPT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]));
  const settings = HARMLESS.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    ...(Object.fromEntries(kept) as Record<string, string>),
    LANG: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(HARMLESS.length),
    ...(Object.fromEntries(settings) as Record<string, string>),
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_SSH_COMMAND: 'ssh -oBatchMode=yes',
  };
}

/** What git needs to reach a server as this user does: names, proxies, certificates, the agent of ssh. */
const KEPT = [
  'PATH',
  'HOME',
  'SSH_AUTH_SOCK',
  'HTTPS_PROXY',
  'https_proxy',
  'HTTP_PROXY',
  'http_proxy',
  'ALL_PROXY',
  'all_proxy',
  'NO_PROXY',
  'no_proxy',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  'SystemRoot',
];

const HARMLESS: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.alternateRefsCommand', 'false'],
  ['credential.helper', ''],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['transfer.fsckObjects', 'true'],
  ['transfer.bundleURI', 'false'],
  ['core.protectHFS', 'true'],
  ['core.protectNTFS', 'true'],
  ['core.autocrlf', 'false'],
  ['http.followRedirects', 'initial'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['advice.detachedHead', 'false'],
];

function git(
  args: readonly string[],
  env: Record<string, string>,
  source: string,
  signal: AbortSignal,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const fail = (detail: string) => reject(new AnimusError('skill.source', { source, detail }));
    if (signal.aborted) return reject(interruption());
    // A group of its own: git starts programs for the transport, which have to end with it.
    const child = spawn('git', args, { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const end = () => {
      if (child.pid !== undefined) endGroup(child.pid);
    };
    const timer = setTimeout(end, TIMEOUT_MS);
    signal.addEventListener('abort', end, { once: true });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        texts[name] = (texts[name] + text).slice(-MOST_CHARACTERS);
      });
    }
    child.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      fail(error.code === 'ENOENT' ? 'needs git, which is not on the PATH' : error.message);
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(interruption());
      else if (code === 0) resolve(texts.stdout);
      else if (code === null) fail(`git did not finish within ${TIMEOUT_MS / 1000} s`);
      else fail(`git could not clone it: ${lastLine(texts.stderr)}`);
    });
  });
}

const MOST_CHARACTERS = 10_000;

function endGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL');
  } catch (error) {
    // It has ended already.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function lastLine(text: string): string {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  return (lines.findLast((line) => /^(fatal|error):/.test(line)) ?? lines.at(-1) ?? 'it said nothing').replace(
    /^fatal: /,
    '',
  );
}

function withoutPassword(source: string): string {
  return source.replace(/\/\/[^/@]*@/, '//***@');
}
