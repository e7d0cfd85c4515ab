/** Gives a container without a network a way to the hosts of an allow-list, and to nothing else. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { ContainerHost, HeldContainer } from '../container-host.ts';
import { acceptConnections } from './connections.ts';
import { createEgressProxy, type EgressRules } from './egress-proxy.ts';
import { PROXY_PORT, RELAY_PROGRAM } from './relay-program.ts';

/** What a relay is started with. */
export interface EgressSetup {
  readonly host: ContainerHost;
  /** The owner of the container, who owns the relay, too. */
  readonly owner: string;
  /** An image with Python; its own image, because that of the container is the faculty's choice. */
  readonly image: string;
  readonly rules: EgressRules;
}

const RELAY_LIMITS = { memoryBytes: 128 * 2 ** 20, cpus: 1, pids: 32, fileBytes: 2 ** 20 };
/** Not that of any command. */
const RELAY_USER = '65534:65534';
const READY_MS = 20_000;

/**
 * Starts a relay in the container's network, which is a loopback device and nothing more. It accepts connections on a port of 127.0.0.1 and
 * passes them to the proxy in this process over its standard streams, so the container needs no route, no name server and no address.
 * Returns the variables by which programs find the proxy. Relay and proxy end with the container.
 */
export async function openEgress(
  container: HeldContainer,
  { host, owner, image, rules }: EgressSetup,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const relay = await host.launch(
    {
      owner,
      image,
      command: ['python3', '-I', '-c', RELAY_PROGRAM],
      env: {},
      user: RELAY_USER,
      workdir: '/',
      limits: RELAY_LIMITS,
      tmpfs: [],
      mounts: [],
      network: { name: `container:${container.id}` },
    },
    signal,
  );
  const proxy = createEgressProxy(rules);
  void container.exited.then(() => relay.destroy());
  void relay.exited.then(() => proxy.close());
  if (!(await isReady(relay))) {
    await relay.destroy();
    const { problem } = await relay.exited;
    throw new AnimusError('sandbox.refused', {
      where: image,
      detail: `the relay of the network list does not start${problem === null ? '' : `: ${problem}`}`,
      hint: '; the image of the sandbox must have python3',
    });
  }
  // Without its relay the container can reach nothing; the next command gets a new one.
  acceptConnections(
    relay,
    (connection) => proxy.serve(connection),
    () => void container.destroy(),
  );
  return environmentOf(`http://127.0.0.1:${PROXY_PORT}`);
}

/** Reads its first line. What follows belongs to the frames. */
async function isReady(relay: HeldContainer): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const expected = Buffer.from('ready\n');
  relay.stderr.resume();
  const onReadable = (): void => {
    const line = relay.stdout.read(expected.length) as Buffer | null;
    if (line !== null) resolve(line.equals(expected));
  };
  relay.stdout.on('readable', onReadable);
  void relay.exited.then(() => resolve(false));
  const timer = setTimeout(() => resolve(false), READY_MS);
  const ready = await promise;
  clearTimeout(timer);
  relay.stdout.off('readable', onReadable);
  return ready;
}

function environmentOf(proxy: string): Readonly<Record<string, string>> {
  const local = 'localhost,127.0.0.1,::1';
  return {
    http_proxy: proxy,
    https_proxy: proxy,
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    no_proxy: local,
    NO_PROXY: local,
    // Node's own fetch takes the variables only when it is asked to.
    NODE_USE_ENV_PROXY: '1',
  };
}
