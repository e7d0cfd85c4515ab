/** The sandbox: slots, containers from the pool, executions, and their figures. */
import { messageOf } from '../../core/errors/errors.ts';
import type { ProcessLog } from '../../process/host/supervised-host.ts';
import { count, record } from '../../telemetry/metrics.ts';
import type { ContainerHost, ContainerSpec, HeldContainer } from '../container-host.ts';
import type { Transport } from '../endpoint/http-transport.ts';
import type { CodeCalls, Execution, ExecutionSpec, PooledSpec, Sandbox } from '../sandbox.ts';
import { type OpenRunner, openRunner } from './open-runner.ts';
import { createPool, type Pool } from './pool.ts';
import { cutShort, runCode, type SdkSource } from './run-code.ts';
import { type ContainerSettings, imageOf, sandboxContainer } from './sandbox-container.ts';
import { createSlots, type Slots } from './slots.ts';

/** Settings of a sandbox. */
export interface SandboxOptions extends ContainerSettings {
  readonly containers: ContainerHost;
  /** Writes the Python source of the tools. */
  readonly sdkSource: SdkSource;
  readonly poolSize: number;
  readonly maxExecutions: number;
  /** How containers speak with this daemon; null or absent: by their standard input and output. */
  readonly http?: Transport | null;
  readonly log?: ProcessLog;
}

/** Python and its modules, on a busy machine. */
const READY_MS = 30_000;

/** Creates a sandbox. Its containers are those of the host, which must be started before and stopped after it. */
export function createSandbox(options: SandboxOptions): Sandbox {
  return new ContainedSandbox(options);
}

class ContainedSandbox implements Sandbox {
  readonly #options: SandboxOptions;
  readonly #pool: Pool;
  readonly #slots: Slots;
  readonly #stopping = new AbortController();
  readonly #ending = new Set<Promise<void>>();

  constructor(options: SandboxOptions) {
    this.#options = options;
    this.#slots = createSlots(options.maxExecutions);
    const open = (spec: PooledSpec, signal: AbortSignal) => this.#open(spec, signal);
    this.#pool = createPool({ size: options.poolSize, open, log: options.log ?? (() => {}) });
  }

  async start(): Promise<void> {}

  async stop(): Promise<void> {
    this.#stopping.abort(new Error('the daemon stops'));
    await this.#pool.close();
    await Promise.all(this.#ending);
    await this.#options.http?.stop();
  }

  warm(spec: PooledSpec): void {
    if (!this.#stopping.signal.aborted) this.#pool.warm(spec);
  }

  async execute(spec: ExecutionSpec, calls: CodeCalls, aborted: AbortSignal): Promise<Execution> {
    const signal = AbortSignal.any([aborted, this.#stopping.signal]);
    const execution = await this.#run(spec, calls, signal);
    report(execution);
    return execution;
  }

  async #run(spec: ExecutionSpec, calls: CodeCalls, signal: AbortSignal): Promise<Execution> {
    let release: (() => void) | null = null;
    try {
      release = await this.#slots.take(signal);
      const runner = await this.#runner(spec, signal);
      try {
        const sdk = this.#options.sdkSource(spec.tools);
        return await runCode(runner, spec, calls, signal, sdk);
      } finally {
        this.#end(runner);
      }
    } catch (error) {
      if (signal.aborted) return cutShort('killed', 'it was stopped before the code began');
      return cutShort('unavailable', messageOf(error));
    } finally {
      release?.();
    }
  }

  /** From the pool, unless it needs a mount of its own. */
  async #runner(spec: ExecutionSpec, signal: AbortSignal): Promise<OpenRunner> {
    const startedMs = performance.now();
    const pooled = spec.workspaceMount === undefined ? await this.#pool.take(spec) : null;
    pooled?.held.adopt(spec.owner);
    if (signal.aborted && pooled) this.#end(pooled);
    signal.throwIfAborted();
    const runner = pooled ?? (await this.#open(spec, signal));
    record('work.sandbox.start', performance.now() - startedMs, { from: pooled ? 'pool' : 'new' });
    return runner;
  }

  async #open(spec: PooledSpec & Partial<ExecutionSpec>, signal: AbortSignal): Promise<OpenRunner> {
    const container = { ...sandboxContainer(spec, this.#options), owner: spec.owner ?? '' };
    const held = await this.#launch(container, signal);
    return openRunner(held, imageOf(spec, this.#options), READY_MS);
  }

  async #launch(container: ContainerSpec, signal: AbortSignal): Promise<HeldContainer> {
    const { containers, http } = this.#options;
    if (!http) return containers.launch(container, signal);
    const channel = await http.open();
    try {
      const env = { ...container.env, ...channel.env };
      return channel.over(await containers.launch({ ...container, env, network: channel.network }, signal));
    } catch (error) {
      channel.close();
      throw error;
    }
  }

  /** In the background: the result does not wait for it. */
  #end({ held }: OpenRunner): void {
    const end = held.destroy().finally(() => this.#ending.delete(end));
    this.#ending.add(end);
  }
}

/** The caller reports the rest, with the faculty. */
function report({ ended }: Execution): void {
  if (ended === 'timeout') count('work.sandbox.timeouts', 1, {});
  if (ended === 'unavailable' || ended === 'killed') count('work.sandbox.errors', 1, { ended });
}
