/** A session of an application, as the server makes it, which repeats what a transaction of its own may meet (docs/operations.md). */
import { Client } from 'pg';
import { pause } from '../trouble.ts';

/** Serialization failures, deadlocks, short time-outs of the login and locked rows are repeated; so is whatever ended the connection. */
const AGAIN = /^(40001|40P01|55P03|57014|57PA1|57P0[123]|08\w\w\w|53300|25P0[34]|E[A-Z]+)$/;

export interface Tally {
  /** By SQLSTATE, what was run again. */
  readonly again: Map<string, number>;
  /** What an application need not expect, one sentence each. */
  readonly wrong: string[];
  /** Units that are done, by kind. */
  readonly done: Map<string, number>;
}

export type Query = (sql: string, params?: readonly unknown[]) => Promise<Record<string, unknown>[]>;

export class AppSession {
  readonly #url: string;
  readonly #tally: Tally;
  #client: Client | null = null;

  constructor(url: string, tally: Tally) {
    this.#url = url;
    this.#tally = tally;
  }

  /** Runs `work` in a transaction, again until it is committed. `there`: whether an attempt whose answer was lost has committed it. */
  async transaction(
    begin: string,
    work: (query: Query) => Promise<void>,
    there: (query: Query) => Promise<boolean>,
    end: 'commit' | 'rollback' = 'commit',
  ): Promise<void> {
    let unsure = false;
    await this.again(async (query) => {
      if (unsure && (await there(query))) return;
      await query(begin);
      await work(query);
      unsure = true;
      await query(end);
    });
  }

  /** Runs statements, again after what an application repeats. */
  async again(work: (query: Query) => Promise<void>): Promise<void> {
    for (;;) {
      try {
        await work(await this.#query());
        return;
      } catch (error) {
        const code = codeOf(error);
        if (!AGAIN.test(code)) {
          await this.#restore();
          throw error;
        }
        this.#tally.again.set(code, (this.#tally.again.get(code) ?? 0) + 1);
        await this.#restore();
        await pause(50 + Math.random() * 200);
      }
    }
  }

  async close(): Promise<void> {
    await this.#client?.end().catch(() => {});
    this.#client = null;
  }

  async #query(): Promise<Query> {
    if (this.#client === null) {
      const client = new Client({ connectionString: this.#url });
      client.on('error', () => {});
      await client.connect();
      this.#client = client;
    }
    const client = this.#client;
    return async (sql, params = []) => (await client.query(sql, [...params])).rows;
  }

  async #restore(): Promise<void> {
    const client = this.#client;
    if (client === null) return;
    await client.query('rollback').catch(() => this.close());
  }
}

/** The SQLSTATE, or the code of the socket. */
function codeOf(error: unknown): string {
  const { code, message } = error as { code?: string; message: string };
  if (code !== undefined) return code;
  return /Connection terminated|not queryable|Client has encountered/.test(message) ? 'ECONNECTION' : message;
}
