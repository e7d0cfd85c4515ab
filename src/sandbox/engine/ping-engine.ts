/** Asks a Docker engine whether it answers, without its client and without the keeper: cheap enough to be asked every few seconds. */
import { type RequestOptions, request } from 'node:http';
import type { EngineAddress } from '../../core/config/sections/engine-address.ts';
import { engineError } from './engine-errors.ts';

const PATIENCE_MS = 3000;

/** Null if it answers, or if only its client can ask (TLS, an unsupported address); else why it does not, with the remedy. Never rejects. */
export async function pingEngine(address: EngineAddress): Promise<string | null> {
  const target = targetOf(address);
  if (target === null) return null;
  try {
    await ping(target);
    return null;
  } catch (error) {
    return engineError(error, { where: address.text }).message;
  }
}

function targetOf(address: EngineAddress): RequestOptions | null {
  if (address.kind === 'unix') return { socketPath: address.path };
  if (address.kind === 'unsupported' || address.certificates !== null) return null;
  return { host: address.host, port: address.port };
}

/** Resolves with any answer: the engine has the last word about the rest. */
function ping(target: RequestOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(PATIENCE_MS);
    const asked = request({ ...target, path: '/_ping', agent: false, signal }, (response) => {
      response.resume();
      resolve();
    });
    asked.on('error', (error) => {
      reject(signal.aborted ? new Error(`no answer within ${PATIENCE_MS / 1000} s`, { cause: error }) : error);
    });
    asked.end();
  });
}
