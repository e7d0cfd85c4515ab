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

/** What is wrong about what it printed. While the server is away, it says so. */
export async function askCommand(site: Site, command: readonly string[]): Promise<string[]> {
  const { exit, stdout, stderr } = await runAnimus(site, command);
  const name = `animus ${command.join(' ')}`;
  const found = wrongTexts(name, `${stdout}\n${stderr}`);
  if (exit !== 0 && !/db\.unreachable|unreachable/.test(stdout + stderr))
    found.push(`${name} exited with ${exit}: ${stdout.slice(-1500)} ${stderr.slice(-1500)}`);
  if (exit === 0 && command.includes('--json')) {
    try {
      JSON.parse(stdout);
    } catch {
      found.push(`${name} printed no JSON: ${stdout.slice(0, 500)}`);
    }
  }
  return found;
}
