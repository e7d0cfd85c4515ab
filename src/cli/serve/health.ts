/** `animus health`: asks the daemon of this home whether it takes work. */
import type { Command } from 'commander';
import type { Reach } from '../../core/config/reach.ts';
import { AnimusError, messageOf, usageError } from '../../core/errors/errors.ts';
import { interruption } from '../../core/errors/interruption.ts';
import { type HttpAddress, type Readiness, showAddress } from '../../core/lifecycle/health.ts';
import { within } from '../../core/lifecycle/within.ts';
import { healthAddresses } from '../../daemon/presence/health-records.ts';
import { addCommand, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { styled } from '../../terminal/view/output.ts';

/** Longer than the 3 s that the daemon waits for its database. */
const ANSWER_MS = 5000;

/** Adds `animus health`. */
export function addHealthCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'health', {
    summary:
      'ask the daemon of this home whether it takes work: exits 0 when it does, 5 when it does not, 4 when none answers',
    examples: ['animus health', 'animus health --json'],
  }).action(run(healthCommand));
}

async function healthCommand({ output, reach, context }: Invocation): Promise<number> {
  const addresses = addressesOf(await reach());
  const daemons = [];
  for (const address of addresses) {
    daemons.push({ address: showAddress(address), ...(await askHealth(address, context.signals.drain)) });
  }
  const worst = daemons.find(({ ready }) => !ready) ?? daemons[0]!;
  output.document({ ...worst, daemons });
  for (const { ready, phase, daemon_id: id, version, address, checks } of daemons) {
    const label = ready ? styled('ready', 'green') : styled('not ready', 'red');
    output.line(label, `  ${phase}, daemon ${id ?? 'without id'} at ${address}, animus ${version}`);
    for (const [check, found] of Object.entries(checks)) output.line(`${check.padEnd(10)} ${found}`);
  }
  return worst.ready ? 0 : 5;
}

/** The configured address, else the addresses at which daemons of this home serve. */
function addressesOf({ http, home, problem }: Reach): readonly HttpAddress[] {
  // The address itself is what is wrong with the configuration.
  if (http === undefined) throw problem ?? new AnimusError('internal.bug', { detail: 'an address without a problem' });
  if (http === null) throw usageError('daemon.http is "off": the daemon serves no health endpoint');
  if (http.configured && http.port !== 0) return [http];
  const found = healthAddresses(home);
  if (found.length > 0) return found;
  const detail = `no daemon with the home ${home} runs on this host`;
  throw new AnimusError('http.unanswered', { address: showAddress(http), detail, hint: '; start one: animus serve' });
}

/** The health report of the daemon at this address. Errors: `http.unanswered`, `interrupted`. */
export async function askHealth(http: HttpAddress, signal: AbortSignal): Promise<Readiness> {
  const address = showAddress({ ...http, host: LOOPBACK_OF[http.host] ?? http.host });
  let status: number;
  let answer: unknown;
  try {
    const response = await fetch(`http://${address}/readyz`, {
      redirect: 'error',
      signal: within(ANSWER_MS, signal),
    });
    ({ status } = response);
    answer = await response.json();
  } catch (error) {
    if (signal.aborted) throw interruption();
    throw new AnimusError(
      'http.unanswered',
      { address, detail: messageOf(error), hint: '; start one: animus serve' },
      { cause: error },
    );
  }
  if (isReadiness(answer)) return answer;
  const detail = `the server there (HTTP ${status}) is not animus`;
  throw new AnimusError('http.unanswered', { address, detail, hint: '' });
}

/** A server that listens on all addresses is reached on this host. */
export const LOOPBACK_OF: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

function isReadiness(value: unknown): value is Readiness {
  if (value === null || typeof value !== 'object') return false;
  const { ready, phase, checks } = value as Partial<Readiness>;
  return typeof ready === 'boolean' && typeof phase === 'string' && checks !== null && typeof checks === 'object';
}
