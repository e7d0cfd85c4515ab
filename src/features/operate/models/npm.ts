/** Asks the user's npm, with the registry that it is configured for. */
import { execFile } from 'node:child_process';
import type { Environment } from '../../../core/config/source/environment.ts';
import { AnimusError } from '../../../core/errors/errors.ts';

export interface NpmAsk {
  readonly env: Environment;
  /** Stops npm. */
  readonly signal: AbortSignal;
}

const MOST_MS = 120_000;
const MOST_BYTES = 4 * 1024 * 1024;

/** What npm needs of the environment: where things are, its own settings, proxies and certificates. No key of a provider. */
const FOR_NPM =
  /^(PATH|HOME|USER|LOGNAME|LANG|TMPDIR|TEMP|TMP|APPDATA|LOCALAPPDATA|USERPROFILE|SYSTEMROOT|COMSPEC|PATHEXT|NPM_TOKEN|NODE_AUTH_TOKEN|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|(HTTPS?|NO|ALL)_PROXY|NPM_CONFIG_.*|XDG_.*)$/i;

/** Its standard output. Errors: `models.not_fetched` with what npm said; `interrupted`. */
export async function askNpm(args: readonly string[], { env, signal }: NpmAsk): Promise<string> {
  const own = Object.fromEntries(Object.entries(env).filter(([name]) => FOR_NPM.test(name)));
  const windows = process.platform === 'win32';
  return new Promise((resolve, reject) => {
    execFile(
      windows ? 'npm.cmd' : 'npm',
      [...args],
      { env: own, signal, timeout: MOST_MS, maxBuffer: MOST_BYTES, shell: windows },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else if (signal.aborted) reject(new AnimusError('interrupted', { goesOn: '' }, { cause: error }));
        else reject(new AnimusError('models.not_fetched', { detail: reasonOf(error, stderr) }, { cause: error }));
      },
    );
  });
}

function reasonOf(error: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (error.code === 'ENOENT') return 'npm is not on the PATH; install Node.js with npm';
  if (error.killed) return `npm did not finish within ${MOST_MS / 1000} s`;
  const said = stderr.split('\n').filter((line) => /^npm (error|ERR!)/.test(line) && !line.includes('log of this run'));
  return `npm says: ${
    said
      .map((line) => line.replace(/^npm (error|ERR!) ?/, ''))
      .filter(Boolean)
      .slice(0, 3)
      .join('; ') || error.message
  }`;
}
