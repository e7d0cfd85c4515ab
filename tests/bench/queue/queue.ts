/** What the benchmark asks of a queue: the product and its peers alike. */
export interface BenchQueue {
  /** The connection string of its database. */
  readonly url: string;
  /** Commits one no-op job. `n` comes back in the handler. */
  enqueue(n: number): Promise<void>;
  /** Commits `count` no-op jobs by the fastest way the queue documents. */
  enqueueMany(count: number): Promise<void>;
  /** Starts a worker that runs `concurrency` jobs at once; `onStart` is called as each handler begins, before it ends. */
  work(concurrency: number, onStart: (n: number) => void): Promise<BenchWorker>;
  close(): Promise<void>;
}

export interface BenchWorker {
  /** Jobs whose end is committed. */
  done(): number;
  stop(): Promise<void>;
}

/** Resolves when the condition holds; looks every millisecond. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1));
}
