/** Combines writes of many foci: while one statement is running, further writes wait and are sent together in the next. */
import { isAnimusError } from '../../core/errors/errors.ts';

interface Waiting<Write, Result> {
  readonly write: Write;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a function that makes one write and resolves to its result. `send` makes a batch of at most `most` writes in one statement and
 * returns one result for each, in their order. Adds no delay: a first write is sent as soon as the events at hand have been handled, so that
 * writes caused by the same event share even the first statement.
 *
 * Errors: those of `send`. If the database refuses a batch, nothing of it was written, and its writes are sent one by one: only those that it
 * refuses alone reject. If the connection is lost, each of them rejects.
 */
export function batchWrites<Write, Result>(
  send: (batch: readonly Write[]) => Promise<readonly Result[]>,
  most: number,
): (write: Write) => Promise<Result> {
  let waiting: Waiting<Write, Result>[] = [];
  let sending = false;

  async function sendAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      await sendBatch(batch);
    }
    sending = false;
  }

  async function sendBatch(batch: readonly Waiting<Write, Result>[]): Promise<void> {
    try {
      const results = await send(batch.map((one) => one.write));
      for (const [n, { resolve }] of batch.entries()) resolve(results[n]!);
    } catch (error) {
      if (batch.length > 1 && !isAnimusError(error, 'db.unreachable')) {
        for (const one of batch) await sendBatch([one]);
      } else {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  return (write) =>
    new Promise((resolve, reject) => {
      waiting.push({ write, resolve, reject });
      if (sending) return;
      sending = true;
      // `sendAll` never rejects; it rejects the callers.
      setImmediate(() => void sendAll());
    });
}
