/** Checks for the programs that faculties and their tools start. */
import { execFile } from 'node:child_process';
import type { Faculties } from '../../../catalog/faculties.ts';
import { type Finding, fine, note, problem } from '../../../terminal/view/finding.ts';

const ANSWER_MS = 5000;

/** git is needed by worktrees, and by whatever agents do with repositories; the docker command by nothing that animus runs itself. */
export async function examinePrograms({ faculties }: Pick<Faculties, 'faculties'>): Promise<readonly Finding[]> {
  const [git, docker] = await Promise.all([
    versionOf('git', ['--version']),
    versionOf('docker', ['version', '--format', 'engine {{.Server.Version}}']),
  ]);
  const needing = [...faculties.values()].filter(({ isolation }) => isolation === 'worktree').map(({ name }) => name);
  return [examineGit(git, needing), examineDocker(docker)];
}

function examineGit(git: Version, needing: readonly string[]): Finding {
  if (git.version !== null) return fine('git', git.version);
  const install = 'install git on the PATH of the daemon';
  if (needing.length === 0) return note('git', `${git.problem}: agents cannot use repositories`, install);
  return problem('git', `${git.problem}, and isolation = "worktree" needs it: ${needing.join(', ')}`, install);
}

function examineDocker(docker: Version): Finding {
  if (docker.version !== null) return fine('docker', docker.version);
  return fine('docker', `${docker.problem}; only "docker compose up" needs this command`);
}

type Version = { readonly version: string } | { readonly version: null; readonly problem: string };

function versionOf(program: string, args: readonly string[]): Promise<Version> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: ANSWER_MS, killSignal: 'SIGKILL' }, (error, stdout, stderr) => {
      if (error === null) resolve({ version: firstLine(stdout) });
      else if (error.code === 'ENOENT') resolve({ version: null, problem: 'not found' });
      else if (error.killed) resolve({ version: null, problem: 'does not answer' });
      else resolve({ version: null, problem: firstLine(stderr) || error.message });
    });
  });
}

function firstLine(text: string): string {
  return text.trim().split('\n', 1)[0] ?? '';
}
