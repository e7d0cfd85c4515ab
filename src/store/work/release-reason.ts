/** Why work is given back, to be claimed again. */
export interface ReleaseReason {
  /** For people. */
  readonly reason: string;
  /** The code of an error, or another word of docs/states.md: what programs tell causes apart by. */
  readonly cause: string;
}
