/** `transport = "http"`: containers on an internal network, which speak to an endpoint of this daemon. */
import { isIPv6 } from 'node:net';
import type { EngineAddress } from '../../core/config/sections/engine-address.ts';
import type { ContainerSpec, HeldContainer } from '../container-host.ts';
import { openEngine } from '../engine/open-engine.ts';
import { createHttpEndpoint, type HttpEndpoint } from './http-endpoint.ts';
import { addressOnNetwork, notOnNetwork } from './sandbox-network.ts';

/** How a container speaks with the engine, unless by its standard input and output. */
export interface Transport {
  /** Prepares the channel of one container. Rejects with `sandbox.network`, `sandbox.endpoint` or `sandbox.unreachable`. */
  open(): Promise<TransportChannel>;
  /** Closes all channels. */
  stop(): Promise<void>;
}

export interface TransportChannel {
  /** Added to the specification of the container. */
  readonly network: ContainerSpec['network'];
  readonly env: Readonly<Record<string, string>>;
  /** The container with the streams of this channel in place of its own. */
  over(held: HeldContainer): HeldContainer;
  /** If the container was not started. */
  close(): void;
}

/** Nothing is opened before the first channel; what fails then is tried again with the next. */
export function createHttpTransport(options: { readonly engine: EngineAddress; readonly network: string }): Transport {
  let opening: Promise<OpenEndpoint> | null = null;
  return {
    async open() {
      const begun = (opening ??= openEndpoint(options));
      const { endpoint, url } = await begun.catch((error: unknown) => {
        if (opening === begun) opening = null;
        throw error;
      });
      const { token, stdin, stdout, close } = endpoint.attach();
      return {
        network: { name: options.network },
        env: { ANIMUS_SANDBOX_URL: url, ANIMUS_SANDBOX_TOKEN: token },
        over(held) {
          // The container prints nothing there; what nobody reads would hold up its other stream.
          held.stdout.resume();
          void held.exited.then(close);
          return { ...held, stdin, stdout };
        },
        close,
      };
    },
    async stop() {
      const begun = opening;
      opening = null;
      await begun?.then(({ endpoint }) => endpoint.stop()).catch(() => {});
    },
  };
}

interface OpenEndpoint {
  readonly endpoint: HttpEndpoint;
  readonly url: string;
}

async function openEndpoint({ engine, network }: { engine: EngineAddress; network: string }): Promise<OpenEndpoint> {
  const host = await addressOnNetwork(openEngine(engine), network);
  const endpoint = createHttpEndpoint({ host, port: 0 });
  await endpoint.start().catch((error: unknown) => {
    const { cause } = error as { cause?: NodeJS.ErrnoException };
    throw cause?.code === 'EADDRNOTAVAIL' ? notOnNetwork(network) : error;
  });
  return { endpoint, url: `http://${isIPv6(host) ? `[${host}]` : host}:${endpoint.port()}` };
}
