/** Finds a daemon of this home that serves the console. */
import type { Config } from '../../core/config/config.ts';
import { AnimusError, messageOf, usageError } from '../../core/errors/errors.ts';
import { interruption } from '../../core/errors/interruption.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { type HttpAddress, showAddress } from '../../core/lifecycle/health.ts';
import { within } from '../../core/lifecycle/within.ts';
import { healthAddresses } from '../../daemon/presence/health-records.ts';
import { LOOPBACK_OF } from './health.ts';

const ANSWER_MS = 5000;
/** How long a daemon that starts is waited for: it may have to create its database. */
const START_MS = 60_000;
const AGAIN_MS = 250;

/** Where a browser on this host finds what listens there. Ends with `/`. */
export function consoleAddress({ host, port }: HttpAddress): string {
  return `http://${showAddress({ host: LOOPBACK_OF[host] ?? host, port })}/`;
}

/**
 * The address of the console of a daemon of this home; null: none runs. Only addresses that daemons have recorded in the home count: another program that
 * listens at an address would receive the login secret. Errors: `usage.invalid` if daemons run and none serves the console, with what to change; `http.unanswered`.
 */
export async function findConsole(config: Pick<Config, 'home' | 'file'>, signal: AbortSignal): Promise<string | null> {
  const addresses = healthAddresses(config.home).map(consoleAddress);
  if (addresses.length === 0) return null;
  let lacking = '';
  for (const address of addresses) {
    lacking = await lackingAt(address, signal);
    if (lacking === '') return address;
  }
  const file = config.file ?? 'animus.toml';
  const missing = `set ${lacking} = true in [http] of ${file}, and restart the daemon`;
  throw usageError(`the daemon at ${addresses[0]} does not serve the console: ${missing}`);
}

/** The setting that is off at an address, so that it serves no console; '': it serves one. */
async function lackingAt(address: string, signal: AbortSignal): Promise<'' | 'api' | 'console'> {
  const untilMs = systemClock.monotonicMs() + START_MS;
  for (;;) {
    const { status, code } = await ask(`${address}api/v1/session`, signal);
    if (status === 404) return 'api';
    if (code !== 'http.starting') break;
    if (systemClock.monotonicMs() > untilMs) throw unanswered(address, 'it is still starting');
    await systemClock.sleep(AGAIN_MS, signal);
    if (signal.aborted) throw interruption();
  }
  const { status } = await ask(address, signal);
  return status === 404 ? 'console' : '';
}

async function ask(url: string, signal: AbortSignal): Promise<{ readonly status: number; readonly code: unknown }> {
  try {
    const answer = await fetch(url, { redirect: 'error', signal: within(ANSWER_MS, signal) });
    const body = answer.headers.get('content-type')?.includes('json') ? ((await answer.json()) as object) : {};
    return { status: answer.status, code: Reflect.get(body, 'code') };
  } catch (error) {
    if (signal.aborted) throw interruption();
    throw unanswered(url, messageOf(error), error);
  }
}

function unanswered(address: string, detail: string, cause?: unknown): AnimusError {
  return new AnimusError('http.unanswered', { address, detail, hint: '' }, { cause });
}
