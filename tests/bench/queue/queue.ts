/** What the benchmark requires of a queue, the product and its peers alike. */
export interface BenchQueue {
  /** The connection string of its database. */
  readonly url: string;
  /** Commits one no-op job. `n` comes back in the handler. */
  enqueue(n: number): Promise<void>;
  /** Commits `count` no-op jobs in the fastest way that the queue documents. */
  enqueueMany(count: number): Promise<void>;
  /** Starts a worker that runs `concurrency` jobs in parallel; `onStart` is called when each handler starts. */
  work(concurrency: number, onStart: (n: number) => void): Promise<BenchWorker>;
  close(): Promise<void>;
}

export interface BenchWorker {
  /** Number of jobs whose completion is committed. */
  done(): number;
  stop(): Promise<void>;
}

/** Resolves when the condition is true; polls every millisecond. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
