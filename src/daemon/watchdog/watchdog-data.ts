/** What the daemon and its watchdog's thread share and say to each other. */

/** How often the loop beats, and the thread looks. */
export const BEAT_MS = 500;

/** Given to the thread when it starts. */
export interface WatchdogData {
  /** One 32-bit counter, which the event loop increments every `BEAT_MS`. */
  readonly beats: ArrayBufferLike;
  readonly daemonId: string;
  readonly connectionString: string;
  readonly leaseMs: number;
  readonly logLevel: string;
  readonly pretty: boolean;
  /** Whether the process handles SIGTERM and SIGINT. */
  readonly signals: boolean;
}

/** What the thread says; the daemon reads it when its loop runs again. */
export type WatchdogMessage =
  /** It has begun. `signals`: it sees the signals of the process. */
  | { readonly type: 'watching'; readonly signals: boolean }
  /** The loop was blocked for so long. `stack`: what it ran, the innermost call first; empty: it could not be read. */
  | { readonly type: 'blocked'; readonly seconds: number; readonly stack: readonly string[] };
