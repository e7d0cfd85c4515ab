/** The appliance for tests: docker-compose.yml unchanged, with the test's own project name, ports, images and secrets. */
import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../support/free-port.ts';

export const ROOT = resolve(import.meta.dirname, '../..');

/** Contains characters that must be encoded in a URL. */
export const DATABASE_PASSWORD = `p@ss/w:rd?${randomBytes(8).toString('hex')}%`;
export const API_KEY = `key-${randomBytes(12).toString('hex')}`;

export interface Appliance {
  readonly project: string;
  /** The variables by which any `docker compose` in a copy of the repository means this appliance, with the faculties and secrets of the copy. */
  readonly names: Readonly<Record<string, string>>;
  /** The published ports, of Postgres and of the HTTP API. */
  readonly ports: { readonly postgres: number; readonly http: number };
  /** Connection string through the published port. */
  databaseUrl(role: string, password: string): string;
  /** Of the HTTP API, while the profile `api` is on. */
  readonly apiUrl: string;
  /** Runs `docker compose …`; rejects with its output if it fails. */
  compose(...args: readonly string[]): Promise<string>;
  /** `docker compose exec animus …` as a user types it. */
  inAnimus(...command: readonly string[]): Promise<string>;
  /** Ids of the containers of a service, including stopped ones. */
  containers(service: string): Promise<readonly string[]>;
  /** Gives it a secret for the next `up`. */
  writeSecret(name: string, value: string): void;
  /** Sets a variable of `.env` for the next command. */
  set(variable: string, value: string): void;
  /** Its own directory, which has the files of faculties, secrets and what tests keep there. */
  readonly directory: string;
  /** Runs a line of the shell as a user types it, in which `docker compose` means this appliance; rejects if it fails. */
  shell(line: string): Promise<string>;
  /** Removes all of it and returns what could not be removed. */
  remove(): Promise<readonly string[]>;
}

/** Why the tests cannot run here; null if they can. Throws instead if `ANIMUS_REQUIRE_DOCKER` is set. */
export function missingDocker(): string | null {
  try {
    execFileSync('docker', ['info', '--format', '{{.ServerVersion}}'], { stdio: 'pipe' });
    execFileSync('docker', ['compose', 'version'], { stdio: 'pipe' });
    return null;
  } catch (error) {
    if (process.env['ANIMUS_REQUIRE_DOCKER']) throw error;
    const { code, stderr } = error as { code?: string; stderr?: Buffer };
    return code === 'ENOENT'
      ? 'no docker command here'
      : `no engine answers: ${stderr?.toString().split('\n')[0] ?? ''}`;
  }
}

/** Writes the files of an appliance with these faculties, without building or starting it. `files` are below its directory. */
export async function prepareAppliance(files: Readonly<Record<string, string>>): Promise<Appliance> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-appliance-'));
  const write = (path: string, text: string, mode: number) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true });
    writeFileSync(join(directory, path), text);
    chmodSync(join(directory, path), mode);
  };
  // Hooks are files that run.
  for (const [path, text] of Object.entries(files)) write(path, text, text.startsWith('#!') ? 0o755 : 0o644);
  const project = `animus-test-${randomBytes(4).toString('hex')}`;
  const [port, apiPort] = [await freePort(), await freePort()];
  const names = {
    COMPOSE_PROJECT_NAME: project,
    ANIMUS_IMAGE: project,
    ANIMUS_POSTGRES_IMAGE: `${project}-postgres`,
    ANIMUS_SANDBOX_IMAGE: `${project}-sandbox`,
    ANIMUS_POSTGRES_PORT: String(port),
    ANIMUS_HTTP_PORT: String(apiPort),
  };
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    ...names,
    COMPOSE_PROFILES: 'api',
    ANIMUS_FACULTIES: join(directory, 'faculties'),
    ANIMUS_CONFIG: join(directory, 'animus.toml'),
    ANIMUS_SECRETS_DIR: join(directory, 'secrets'),
  };
  // A host directory in the daemon's containers, as docs/appliance.md describes it: commands see only their own directory of the volume.
  write('shared/.keep', '', 0o644);
  chmodSync(join(directory, 'shared'), 0o777);
  const animus = `{volumes: ["${join(directory, 'shared')}:/srv/shared"]}`;
  // A receiver of webhooks, which prints what it gets; only tests that need it start it.
  const receiver = `{profiles: [receiver], image: ${project}, pull_policy: never, entrypoint: [node, /receiver.mjs], healthcheck: {disable: true}, tmpfs: [/var/lib/animus], volumes: ["${join(directory, 'receiver.mjs')}:/receiver.mjs:ro"]}`;
  write('override.yml', `services: {animus: ${animus}, receiver: ${receiver}}\n`, 0o644);
  const composeFiles = ['--file', join(ROOT, 'docker-compose.yml'), '--file', join(directory, 'override.yml')];
  const common = ['--project-directory', ROOT, ...composeFiles, '--env-file', '/dev/null', '--project-name', project];
  const compose = (...args: readonly string[]) => docker(['compose', ...common, '--progress', 'plain', ...args], env);
  const appliance: Appliance = {
    project,
    names,
    ports: { postgres: port, http: apiPort },
    databaseUrl: (role, password) => `postgres://${role}:${encodeURIComponent(password)}@127.0.0.1:${port}/animus`,
    apiUrl: `http://127.0.0.1:${apiPort}/api/v1`,
    compose,
    inAnimus: (...command) => compose('exec', '-T', 'animus', ...command),
    containers: async (service) => lines(await compose('ps', '--all', '--quiet', service)),
    set: (variable, value) => void (env[variable] = value),
    directory,
    shell: (line) =>
      shellLine(line.replaceAll('docker compose ', `docker compose ${common.join(' ')} `), directory, env),
    writeSecret: (name, value) => write(`secrets/${name}`, `${value}\n`, 0o600),
    async remove() {
      await compose('--profile', '*', 'down', '--volumes', '--remove-orphans', '--rmi', 'all', '--timeout', '5');
      rmSync(directory, { recursive: true, force: true });
      const label = `label=com.docker.compose.project=${project}`;
      const left = await Promise.all([
        docker(['ps', '--all', '--quiet', '--filter', label]),
        docker(['volume', 'ls', '--quiet', '--filter', label]),
        docker(['network', 'ls', '--quiet', '--filter', label]),
        docker(['images', '--quiet', project]),
        docker(['images', '--quiet', `${project}-postgres`]),
        docker(['images', '--quiet', `${project}-sandbox`]),
      ]);
      return left.flatMap(lines);
    },
  };
  appliance.writeSecret('animus_password', DATABASE_PASSWORD);
  appliance.writeSecret('anthropic_api_key', API_KEY);
  appliance.writeSecret('animus_webhook_key', randomBytes(32).toString('hex'));
  return appliance;
}

/** Runs a docker command and returns its output, both streams. */
export async function docker(args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<string> {
  try {
    const { stdout, stderr } = await promisify(execFile)('docker', args, { cwd: ROOT, env, maxBuffer: 1 << 26 });
    return stdout + stderr;
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    throw new Error(`docker ${args.join(' ')}\n${stdout.slice(-8000)}${stderr.slice(-8000)}`, { cause: error });
  }
}

async function shellLine(line: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', line], {
    cwd,
    env,
    maxBuffer: 1 << 26,
  });
  return stdout;
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}
