/** Commands that people run meanwhile; their exit codes and times. */
import { runAnimus, type Site } from '../../support/daemon-process.ts';
import { wrongTexts } from './wrong-texts.ts';

export const COMMANDS = [
  ['status', '--json'],
  ['work', 'list', '--json'],
  ['doctor', '--json'],
  ['spend', '--json'],
  ['status'],
  ['schedule', 'list', '--json'],
] as const;

/** The server or all daemons may be away at that moment. */
const AWAY = /cannot use the database|no daemon|not ready|stopped|starting/;

/** What is wrong about what it printed. */
export async function askCommand(site: Site, command: readonly string[]): Promise<string[]> {
  const { exit, stdout, stderr } = await runAnimus(site, command);
  const name = `animus ${command.join(' ')}`;
  const found = wrongTexts(name, `${stdout}\n${stderr}`);
  const serverAway = exit === 4 && AWAY.test(stderr);
  if (exit !== 0 && exit !== 1 && !serverAway)
    found.push(`${name} exited with ${exit}: ${stdout.slice(-500)} ${stderr.slice(-500)}`);
  const said = command.includes('--json') ? parsed(stdout) : null;
  if (exit === 0 && said === undefined) found.push(`${name} printed no JSON: ${stdout.slice(0, 500)}`);
  if (exit === 1)
    found.push(
      ...failures(said, stderr)
        .filter((failure) => !AWAY.test(failure))
        .map((failure) => `${name} failed: ${failure}`),
    );
  return found;
}

/** Of `doctor` the checks that failed, of other commands what they say. */
function failures(said: unknown, stderr: string): string[] {
  const { findings } = (said ?? {}) as { findings?: { check: string; state: string; detail: string }[] };
  if (findings === undefined) return [stderr.slice(-1500)];
  return findings.filter(({ state }) => state === 'problem').map(({ check, detail }) => `${check}: ${detail}`);
}

/** Undefined for what is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
