/** Servers from npm, in a package of their own: 120 packages that only these tests need. Installed at the first use. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const ROOT = new URL('servers/', import.meta.url).pathname;
const PACKAGES = `${ROOT}node_modules/@modelcontextprotocol`;

/** Installs them if they are missing, and returns their programs. Takes about 15 s the first time. */
export function realServers() {
  if (!existsSync(`${ROOT}node_modules/.package-lock.json`)) {
    execFileSync('npm', ['ci', '--no-audit', '--no-fund'], { cwd: ROOT, stdio: ['ignore', 'ignore', 'inherit'] });
  }
  return {
    /** Takes the directories that it may access as arguments. */
    filesystem: `${PACKAGES}/server-filesystem/dist/index.js`,
    /** Takes `stdio` or `streamableHttp`; PORT is the port of the latter. */
    everything: `${PACKAGES}/server-everything/dist/index.js`,
  } as const;
}
