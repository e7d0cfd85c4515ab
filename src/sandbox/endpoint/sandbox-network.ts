/** The network of containers that speak HTTP: internal, so that it leads nowhere but to this daemon. */
import { BlockList, isIPv4 } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AnimusError } from '../../core/errors/errors.ts';
import { engineError, statusOf } from '../engine/engine-errors.ts';
import { SANDBOX_LABEL } from '../engine/labels.ts';
import type { Engine } from '../engine/open-engine.ts';

/** What is read of the engine's answer. */
interface Network {
  readonly Internal?: boolean;
  readonly IPAM?: { readonly Config?: readonly { readonly Subnet?: string; readonly Gateway?: string }[] | null };
}

/**
 * Creates the network unless it is there, and returns the address at which its containers should find this daemon: that of the container
 * that the daemon runs in, or the gateway, which is the engine's machine. Rejects with `sandbox.network` if the network leads elsewhere, and
 * with `sandbox.unreachable`.
 */
export async function addressOnNetwork(engine: Engine, name: string): Promise<string> {
  const network = (await find(engine, name)) ?? (await create(engine, name));
  if (network.Internal !== true) {
    const remedy =
      'remove it (docker network rm) for animus to create it again, or name another as network in [sandbox]';
    throw new AnimusError('sandbox.network', {
      name,
      detail: 'it is not internal, so code could reach other hosts',
      remedy,
    });
  }
  const configs = network.IPAM?.Config ?? [];
  const subnets = configs.flatMap(({ Subnet }) => (Subnet === undefined ? [] : [Subnet]));
  const own = localAddresses().find((address) => subnets.some((subnet) => contains(subnet, address)));
  // The bridge of a network without containers is down, and Node does not list it. One can listen there all the same.
  const address = own ?? configs.find(({ Gateway }) => Gateway !== undefined)?.Gateway?.split('/')[0];
  if (address === undefined) throw notOnNetwork(name);
  return address;
}

/** The error of a daemon that is neither on the network nor on the engine's machine. */
export function notOnNetwork(name: string): AnimusError {
  const remedy =
    'a daemon in a container must be connected to it (docker network connect), and one on another machine than the engine needs transport = "stdio"';
  return new AnimusError('sandbox.network', { name, detail: 'this daemon has no address on it', remedy });
}

async function find({ docker, where }: Engine, name: string): Promise<Network | null> {
  try {
    return (await docker.getNetwork(name).inspect()) as Network;
  } catch (error) {
    if (statusOf(error) === 404) return null;
    throw engineError(error, { where });
  }
}

/** Its containers do not reach each other either: the daemon is at the gateway. */
async function create(engine: Engine, name: string): Promise<Network> {
  try {
    await engine.docker.createNetwork({
      Name: name,
      Driver: 'bridge',
      Internal: true,
      CheckDuplicate: true,
      Options: { 'com.docker.network.bridge.enable_icc': 'false' },
      Labels: { [SANDBOX_LABEL]: 'network' },
    });
  } catch (error) {
    // Another daemon was quicker.
    if (statusOf(error) !== 409) throw engineError(error, { where: engine.where });
  }
  return (await find(engine, name)) ?? {};
}

function localAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => (addresses ?? []).map(({ address }) => address));
}

function contains(subnet: string, address: string): boolean {
  const [base = '', prefix = ''] = subnet.split('/');
  if (isIPv4(base) !== isIPv4(address)) return false;
  const family = isIPv4(base) ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(base, Number(prefix), family);
  return list.check(address, family);
}
