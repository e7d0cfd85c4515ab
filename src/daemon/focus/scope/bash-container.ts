/** Makes the containers in which the commands of `bash` run, for faculties that ask for them. */
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import type { BashContainer, Faculty } from '../../../catalog/faculty/faculty.ts';
import type { Config } from '../../../core/config/config.ts';
import { parseEgressHost } from '../../../core/text/egress-host.ts';
import { parseWebTarget } from '../../../core/text/web-target.ts';
import { createFocusContainer, type FocusContainer } from '../../../sandbox/bash/focus-container.ts';
import { openShell } from '../../../sandbox/bash/open-shell.ts';
import type { ContainerHost, HeldContainer } from '../../../sandbox/container-host.ts';
import { openEgress } from '../../../sandbox/egress/egress.ts';
import type { EgressRules } from '../../../sandbox/egress/egress-proxy.ts';
import type { Log } from '../../../telemetry/log.ts';
import { forbiddenHost, guardedLookup, type WebReach } from '../../../tools/web/guarded-agent.ts';

/** What the containers of all foci have in common. */
export interface ContainerSource {
  readonly containers: ContainerHost;
  readonly config: Pick<Config, 'sandbox'>;
  /** As configured now. */
  readonly settings: () => Pick<Config, 'daemon' | 'web'>;
  readonly log: Log;
}

/** The focus that the container is for. */
export interface ContainedFocus {
  readonly workItemId: string;
  readonly faculty: Faculty;
  /** Absolute real path. */
  readonly workspace: string;
  /** What its commands see beside the workspace; absolute real paths. */
  readonly more: () => readonly string[];
}

/** Makes the container of a focus, which starts with its first command; null if `bash` runs on the host. */
export type MakeBashContainer = (focus: ContainedFocus) => FocusContainer | null;

/** As on the host. */
const GRACE_MS = 2000;

/** Asks nothing of the engine yet. */
export function bashContainers(reach: ContainerSource): MakeBashContainer {
  return ({ workItemId: owner, faculty, workspace, more }) => {
    const { bashContainer: wanted, maxMemoryMib, maxProcesses } = faculty;
    if (!wanted) return null;
    const { containers, config, settings } = reach;
    const { sandbox } = config;
    const egress = { host: containers, owner, image: sandbox.image, rules: egressRules(owner, wanted, reach) };
    const connect = (held: HeldContainer, signal: AbortSignal) => openEgress(held, egress, signal);
    return createFocusContainer({
      roots: [workspace, ...more()],
      graceMs: GRACE_MS,
      async open(plan, signal) {
        const { daemon } = settings();
        const shell = {
          owner,
          image: wanted.image,
          limits: {
            memoryBytes: (wanted.memoryMib ?? maxMemoryMib ?? daemon.focusMaxMemoryMib) * 2 ** 20,
            cpus: Math.min(wanted.cpus, availableParallelism()),
            pids: wanted.pids ?? maxProcesses ?? daemon.focusMaxProcesses,
          },
          user: await userOf(workspace),
          workdir: workspace,
          runtime: sandbox.runtime,
          connect: wanted.network.length === 0 ? null : connect,
        };
        return openShell(containers, shell, plan, signal);
      },
    });
  };
}

/** Files that commands make belong to this process's user, or to the owner of the workspace where this is root. */
async function userOf(workspace: string): Promise<string> {
  const own = process.getuid?.() ?? 0;
  if (own !== 0) return `${own}:${process.getgid?.() ?? own}`;
  const { uid, gid } = await stat(workspace);
  if (uid !== 0) return `${uid}:${gid}`;
  throw new Error(
    `a container runs as the owner of its workspace ${workspace}, which is root; give it to another user (chown -R USER ${workspace})`,
  );
}

/** Like `web_fetch`: the public internet and what the operator allows, and of that the hosts of the list. */
function egressRules(owner: string, { network }: BashContainer, { settings, log }: ContainerSource): EgressRules {
  const reach = (): WebReach => ({ allow: settings().web.allow.flatMap((target) => parseWebTarget(target) ?? []) });
  return {
    hosts: network.flatMap((host) => parseEgressHost(host) ?? []),
    forbidden: (host, port) => forbiddenHost(host, port, reach())?.message ?? null,
    lookup: (host, port) => guardedLookup(host, port, reach()),
    onRefused: (host, port, reason) =>
      log.info({ work_item_id: owner, host, port, reason }, 'refused a connection of a command'),
  };
}
