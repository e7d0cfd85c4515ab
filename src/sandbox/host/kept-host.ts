/** The daemon's side of the keeper: starts it with the first container, sends it requests, and settles them if it dies. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { abortable } from '../../core/lifecycle/abortable.ts';
import { type HelperLink, type SupervisorEnd, startHelper } from '../../process/host/supervisor-link.ts';
import type { LaunchedProcess } from '../../process/process-host.ts';
import { type HostMoment, hostMoment } from '../../process/supervisor/supervisor-protocol.ts';
import type {
  ContainerExec,
  ContainerHost,
  ContainerOwner,
  ContainerSpec,
  EngineHealth,
  HeldContainer,
} from '../container-host.ts';
import { unknownHealth } from '../engine/engine-health.ts';
import { pingEngine } from '../engine/ping-engine.ts';
import type { FromKeeper, ToKeeper } from '../keeper/keeper-protocol.ts';
import type { ContainerHostOptions } from './container-host-options.ts';
import { type KeeperLine, type Pending, pendingContainer, pendingExec } from './pending-container.ts';

/** The engine may be slow to create a container: its image may be cold. */
const LAUNCH_MS = 180_000;

/** Made by `createContainerHost`. */
export class KeptHost implements ContainerHost {
  readonly #options: Required<ContainerHostOptions>;
  readonly #pending = new Map<number, Pending>();
  /** Requests that are answered once; null: the keeper has ended. */
  readonly #questions = new Map<number, (answer: FromKeeper | null) => void>();
  /** Times of the host's monotonic clock; sent to the keeper with an owner's first container. */
  readonly #deadlines = new Map<ContainerOwner, HostMoment>();
  /** Those that have or had a container since they began. */
  readonly #owners = new Set<ContainerOwner>();
  #keeper: HelperLink<ToKeeper> | null = null;
  #idle: NodeJS.Timeout | undefined;
  #reaper: NodeJS.Timeout | undefined;
  #resting: Promise<void> | null = null;
  #stopped = false;
  #lastId = 0;

  constructor(options: Required<ContainerHostOptions>) {
    this.#options = options;
  }

  /** Removes what the last daemon here has left, in the background. */
  async start(): Promise<void> {
    this.#stopped = false;
    const { marker } = this.#options;
    if (marker === null || !existsSync(marker)) return;
    this.#connect();
    this.#settle();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#idle);
    clearInterval(this.#reaper);
    await this.#resting;
    if (!this.#keeper) return;
    await this.#keeper.stop();
    if (this.#options.marker !== null) rmSync(this.#options.marker, { force: true });
  }

  async launch(spec: ContainerSpec, signal: AbortSignal): Promise<HeldContainer> {
    signal.throwIfAborted();
    const id = ++this.#lastId;
    const keeper = this.#connect();
    this.#mark();
    const { pending, started } = pendingContainer(this.#lineOf(id, keeper), {
      exec: (exec) => this.#exec(id, keeper, exec),
      adopt: (owner) => this.#adopt(id, keeper, owner),
      destroy: () => this.#destroy(id),
      lives: () => this.#lives(id),
    });
    this.#add(id, pending);
    this.#own(spec.owner, keeper);
    keeper.send({ type: 'launch', id, spec });
    const watchdog = setTimeout(() => keeper.kill(), LAUNCH_MS);
    void started.catch(() => {}).finally(() => clearTimeout(watchdog));
    // The engine may be slow, and need not be waited for: `killAll` does that.
    const abandon = () => void this.#destroy(id);
    signal.addEventListener('abort', abandon, { once: true });
    return abortable(started, signal).finally(() => signal.removeEventListener('abort', abandon));
  }

  /** The first container of a new home may come before anything else in it. */
  #mark(): void {
    const { marker } = this.#options;
    if (marker === null) return;
    mkdirSync(dirname(marker), { recursive: true, mode: 0o700 });
    writeFileSync(marker, '');
  }

  setDeadline(owner: ContainerOwner, ms: number): void {
    const at = hostMoment(ms);
    this.#deadlines.set(owner, at);
    if (this.#owners.has(owner)) this.#keeper?.send({ type: 'deadline', owner, at });
  }

  async killAll(owner: ContainerOwner): Promise<void> {
    this.#deadlines.delete(owner);
    if (this.#owners.delete(owner)) await this.#ask((id) => ({ type: 'kill_all', id, owner }));
  }

  ping(): Promise<string | null> {
    return pingEngine(this.#options.address);
  }

  async health(image: string): Promise<EngineHealth> {
    this.#connect();
    const { address, runtime } = this.#options;
    const answer = await this.#ask((id) => ({ type: 'health', id, image, runtime }));
    this.#settle();
    if (answer?.type === 'health') return answer.health;
    const problem = 'the keeper of containers could not be started, or ended; see the log of the daemon';
    return unknownHealth(address.text, image, problem);
  }

  #exec(container: number, keeper: HelperLink<ToKeeper>, spec: ContainerExec): LaunchedProcess {
    const id = ++this.#lastId;
    const { pending, process } = pendingExec(this.#lineOf(id, keeper), spec.stdin);
    if (!this.#pending.has(container)) {
      pending.lost('the container is gone');
      return process;
    }
    this.#add(id, pending);
    keeper.send({ type: 'exec', id, container, spec });
    return process;
  }

  #adopt(id: number, keeper: HelperLink<ToKeeper>, owner: ContainerOwner): void {
    if (keeper !== this.#keeper) return;
    this.#own(owner, keeper);
    keeper.send({ type: 'adopt', id, owner });
  }

  #own(owner: ContainerOwner, keeper: HelperLink<ToKeeper>): void {
    if (owner !== '') this.#owners.add(owner);
    const at = this.#deadlines.get(owner);
    if (at !== undefined) keeper.send({ type: 'deadline', owner, at });
  }

  async #lives(container: number): Promise<boolean> {
    if (!this.#pending.has(container)) return false;
    const answer = await this.#ask((id) => ({ type: 'lives', id, container }));
    return answer?.type === 'lives' && answer.lives;
  }

  async #destroy(container: number): Promise<void> {
    if (this.#pending.has(container)) await this.#ask((id) => ({ type: 'destroy', id, container }));
  }

  /** Sends a request to the running keeper; null if there is none, or it ends before it answers. */
  async #ask(request: (id: number) => ToKeeper): Promise<FromKeeper | null> {
    const keeper = this.#keeper;
    if (!keeper) return null;
    const id = ++this.#lastId;
    const watchdog = setTimeout(() => keeper.kill(), this.#options.watchdogMs);
    try {
      return await new Promise((resolve) => {
        this.#questions.set(id, resolve);
        keeper.ref();
        keeper.send(request(id));
      });
    } finally {
      clearTimeout(watchdog);
      this.#questions.delete(id);
      this.#settle();
    }
  }

  #lineOf(id: number, keeper: HelperLink<ToKeeper>): KeeperLine {
    return {
      id,
      // Ids mean nothing to a later keeper.
      send: (message) => keeper === this.#keeper && keeper.send(message),
      over: () => {
        this.#pending.delete(id);
        this.#settle();
      },
    };
  }

  #add(id: number, pending: Pending): void {
    this.#pending.set(id, pending);
    this.#keeper?.ref();
  }

  /** Lets an idle keeper end after a while. */
  #settle(): void {
    clearTimeout(this.#idle);
    if (this.#pending.size > 0 || this.#questions.size > 0) return;
    this.#keeper?.unref();
    this.#idle = setTimeout(() => this.#rest(), this.#options.idleMs).unref();
  }

  /** Ends the keeper; the next request starts another. */
  #rest(): void {
    this.#resting = this.#keeper?.stop() ?? this.#resting;
    this.#keeper = null;
  }

  #connect(): HelperLink<ToKeeper> {
    clearTimeout(this.#idle);
    if (this.#keeper) return this.#keeper;
    const main = new URL('../keeper/keeper-main', import.meta.url);
    const keeper = startHelper<FromKeeper, ToKeeper>(main, {
      receive: (message) => this.#receive(message),
      ended: (end) => this.#lost(keeper, end),
    });
    this.#keeper = keeper;
    keeper.send({ type: 'open', address: this.#options.address, marks: this.#options.marks });
    void this.#reap(keeper);
    this.#reaper ??= setInterval(() => this.#keeper && void this.#reap(this.#keeper), this.#options.reapMs).unref();
    return keeper;
  }

  async #reap(keeper: HelperLink<ToKeeper>): Promise<void> {
    if (this.#options.marker === null) return;
    const dead = await this.#options.dead().catch(() => []);
    keeper.send({ type: 'reap', dead });
  }

  #receive(message: FromKeeper): void {
    switch (message.type) {
      case 'gone':
      case 'lives':
      case 'health':
        return this.#questions.get(message.id)?.(message);
      case 'note':
        return this.#options.log(message.level, message.message, message.fields);
      default:
        return this.#pending.get(message.id)?.receive(message);
    }
  }

  /** Its containers read the end of their input and end; a new keeper removes those that do not. */
  #lost(keeper: HelperLink<ToKeeper>, { detail }: SupervisorEnd): void {
    if (this.#keeper !== keeper) return;
    this.#keeper = null;
    const orphans = [...this.#pending.values()];
    if (orphans.length > 0)
      this.#options.log('warn', 'the keeper of containers ended', { detail, held: orphans.length });
    for (const pending of orphans) pending.lost(`the keeper of containers ended (${detail})`);
    for (const answer of this.#questions.values()) answer(null);
    if (orphans.length > 0 && !this.#stopped) this.#connect();
    this.#settle();
  }
}
