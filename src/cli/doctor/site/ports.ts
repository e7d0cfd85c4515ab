/** Checks the address where a daemon of this host serves its health. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Config } from '../../../core/config/config.ts';
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import { type HttpAddress, showAddress } from '../../../core/lifecycle/health.ts';
import { type Finding, fine, note, problem } from '../../../terminal/view/finding.ts';
import { askHealth } from '../../serve/health.ts';

/**
 * Free, taken by a daemon of animus, or taken by something else: then `serve` continues without health checks, or refuses to
 * start if the address is configured.
 */
export async function examinePorts(
  { daemon: { http } }: Config,
  interrupted: AbortSignal,
): Promise<readonly Finding[]> {
  if (http === null) return [fine('health port', 'off')];
  const address = showAddress(http);
  if (http.port === 0) return [fine('health port', `${address}: each daemon takes a free one`)];
  const taken = await listenProblem(http);
  if (taken === null) return [fine('health port', `${address} is free for a daemon`)];
  try {
    const { ready, phase } = await askHealth(http, interrupted);
    return [fine('health port', `a daemon answers at ${address}: ${ready ? 'ready' : `not ready, ${phase}`}`)];
  } catch (error) {
    if (!isAnimusError(error) || error.code === 'interrupted') throw error;
    const remedy = 'set daemon.http in animus.toml to another address, or to "off"';
    const detail = `no daemon can listen on ${address}: ${taken}`;
    if (http.configured) return [problem('health port', detail, remedy)];
    return [note('health port', `${detail}; serve runs without it`, remedy)];
  }
}

async function listenProblem(address: HttpAddress): Promise<string | null> {
  const server = createServer();
  try {
    server.listen({ host: address.host, port: address.port });
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
