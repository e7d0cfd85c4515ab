/** Opens a client of a Docker engine. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { ENGINE_FORMS, type EngineAddress } from '../../core/config/engine-address.ts';
import { AnimusError, fileFault } from '../../core/errors/errors.ts';

/** A client and the address for messages. */
export interface Engine {
  readonly docker: Docker;
  readonly where: string;
  /** How long it may take to answer a request. */
  readonly patienceMs: number;
}

const NOT_FROM_ENVIRONMENT = {
  host: undefined,
  port: undefined,
  timeout: undefined,
} as unknown as Docker.DockerOptions;
const PATIENCE_MS = 60_000;

/**
 * Opens it; nothing is sent yet. Each request has a connection of its own: a kept one may be dead after a restart of the
 * engine. Throws `sandbox.unreachable` if the certificates cannot be read.
 */
export function openEngine(address: EngineAddress, patienceMs = PATIENCE_MS): Engine {
  const where = address.text;
  const open = (options: Docker.DockerOptions, agent: Agent): Engine => {
    // What is not set here, the client takes from the environment of this process.
    const docker = new (dockerClient())({ ...NOT_FROM_ENVIRONMENT, ...options });
    // The client has no option for it.
    Object.assign(docker.modem, { agent });
    return { docker, where, patienceMs };
  };
  if (address.kind === 'unsupported') {
    const detail = `animus can use ${ENGINE_FORMS} only`;
    const hint = '; set another address as endpoint in [sandbox], or as AGENT_SANDBOX_ENDPOINT';
    throw new AnimusError('sandbox.unreachable', { where, detail, hint });
  }
  const plain = new Agent({ keepAlive: false });
  if (address.kind === 'unix') return open({ socketPath: address.path }, plain);
  const { host, port, certificates } = address;
  if (certificates === null) return open({ host, port, protocol: 'http' }, plain);
  const read = (name: string): Buffer => {
    const path = join(certificates, name);
    try {
      return readFileSync(path);
    } catch (error) {
      const detail = `${path} cannot be read: ${fileFault(error)}`;
      throw new AnimusError('sandbox.unreachable', { where, detail, hint: '' }, { cause: error });
    }
  };
  const tls = { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
  return open({ host, port, protocol: 'https', ...tls }, new TlsAgent({ keepAlive: false, ...tls }));
}

/** Loaded for the first engine: with the SSH that it brings, it takes a tenth of the processor time in which a daemon starts. */
function dockerClient(): typeof Docker {
  return createRequire(import.meta.url)('dockerode') as typeof Docker;
}
