import type { EngineAddress } from '../../core/config/sections/engine-address.ts';
import type { ProcessLog } from '../../process/host/supervised-host.ts';
import type { Marks } from '../keeper/keeper-protocol.ts';

/** Settings of a container host. */
export interface ContainerHostOptions {
  readonly address: EngineAddress;
  /** What `health` expects the engine to know; null: its default. */
  readonly runtime?: string | null;
  readonly marks: Marks;
  /**
   * A file that exists while containers may exist: the next daemon here then looks for leftovers when it starts. Null: this
   * process only asks about the engine, and removes no leftovers.
   */
  readonly marker: string | null;
  readonly log?: ProcessLog;
  /** The ids of daemons on other hosts that are known to be dead. Default: none. */
  readonly dead?: () => Promise<readonly string[]>;
  /** How often leftovers of dead daemons are looked for while the keeper runs; default 60,000. */
  readonly reapMs?: number;
  /** The keeper ends when it had nothing to do for this long; default 60,000. */
  readonly idleMs?: number;
  /** How long an answer of the keeper may take before it is considered hung; default 15,000. */
  readonly watchdogMs?: number;
}
