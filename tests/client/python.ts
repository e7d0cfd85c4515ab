/** A Python that has what the examples need. */
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/animus', import.meta.url));
/** Set where a missing Python or package is to be installed, or be a failure: in CI. */
export const PYTHON_REQUIRED = process.env['ANIMUS_REQUIRE_PYTHON'] === '1';

/** The path of one; null: this machine has none, and `ANIMUS_REQUIRE_PYTHON` is not 1, so that nothing was installed. */
export function pythonWithHttpx(): string | null {
  const installed = environmentPath();
  const found = [join(installed, 'bin', 'python'), 'python3'].find(hasHttpx);
  if (found !== undefined || !PYTHON_REQUIRED) return found ?? null;
  return install(installed);
}

function hasHttpx(python: string): boolean {
  return spawnSync(python, ['-c', 'import httpx']).status === 0;
}

/** Other requirements, another environment. */
function environmentPath(): string {
  return join(CACHE, `python-${createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 16)}`);
}

/** Makes the environment aside and puts it in its place when it is complete. Its paths are relative to that of its interpreter. */
function install(path: string): string {
  mkdirSync(dirname(path), { recursive: true });
  const aside = `${path}-${process.pid}`;
  execFileSync('python3', ['-m', 'venv', aside], { stdio: 'inherit' });
  const pip = ['-m', 'pip', '--disable-pip-version-check', 'install', '--quiet', '--retries', '1'];
  execFileSync(join(aside, 'bin', 'python'), [...pip, '--require-hashes', '--no-deps', '--requirement', REQUIREMENTS], {
    stdio: 'inherit',
  });
  if (existsSync(path)) rmSync(aside, { recursive: true });
  else renameSync(aside, path);
  return join(path, 'bin', 'python');
}
