/** An executable that follows the hook protocol. */
export interface PhaseHook {
  /** Absolute if it was written with a slash; else looked up on PATH. */
  readonly command: string;
  readonly args: readonly string[];
  readonly timeoutSeconds: number;
}
