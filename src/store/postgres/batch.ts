/** Statements that go to the server in one write, and of which all succeed or none. node-postgres waits for the answer of each before it sends the next. */
import { type Connection, type PoolClient, Query, type QueryConfig, type QueryResult } from 'pg';

/** What node-postgres calls of a query that it runs; its types leave this out. */
interface Running extends Query {
  readonly name?: string;
  readonly text: string;
  readonly _result: Columns;
  _accumulateRows?: boolean;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
  handleError(error: Error, connection: Connection): void;
  handleCopyInResponse(connection: Connection): void;
}

type Sent = Connection & {
  readonly submittedNamedStatements: Record<string, string>;
  readonly parsedStatements: Record<string, string>;
};

/** What node-postgres keeps of the columns of a result. */
interface Columns {
  readonly fields: unknown;
  readonly _parsers: unknown;
  readonly _prebuiltEmptyResultObject: unknown;
}

/**
 * The columns of what each connection has prepared, by its name. They need not be asked for again: if they change, the server refuses to run the statement
 * (`isStalePlan`).
 */
const COLUMNS = new WeakMap<Connection, Map<string, Columns>>();

function columnsOf(connection: Connection): Map<string, Columns> {
  const known = COLUMNS.get(connection) ?? new Map<string, Columns>();
  COLUMNS.set(connection, known);
  return known;
}

/**
 * Runs the statements, at least one, on a connection that runs nothing else, and returns the result of the last. After an error the server skips the rest of
 * them. They are one transaction if the first does not begin one. Errors: those of the driver.
 */
export function runBatch(client: PoolClient, statements: readonly QueryConfig[]): Promise<QueryResult> {
  return new Promise((resolve, reject) => {
    client.query(new Batch(statements, (error, result) => (error ? reject(error) : resolve(result!))));
  });
}

type Callback = (error: Error | null | undefined, result?: QueryResult) => void;

/**
 * To the driver, it is the statement whose answer comes next. The server answers each message in order, and nothing after an error but ReadyForQuery, which
 * the one Sync at the end asks for.
 */
class Batch {
  readonly #steps: readonly Running[];
  #at = 0;
  /** What a statement says that cannot be written. */
  #refused: Error | null = null;
  #writing = false;
  /** The driver puts its own in front of it, for `query_timeout`. */
  callback: Callback;

  constructor(statements: readonly QueryConfig[], callback: Callback) {
    this.callback = callback;
    const ended: Callback = (error, result) => {
      if (this.#writing) this.#refused = error ?? null;
      else this.callback(error, result);
    };
    this.#steps = statements.map(
      (statement) => new Query({ ...statement, queryMode: 'extended' } as QueryConfig, ended as never) as Running,
    );
  }

  get #current(): Running {
    return this.#steps[Math.min(this.#at, this.#steps.length - 1)]!;
  }

  /** The driver remembers by its name what the server has parsed. */
  get name(): string | undefined {
    return this.#current.name;
  }

  get text(): string {
    return this.#current.text;
  }

  /** Writes nothing if a statement cannot be written, such as for a value: those before it would run. The driver reports the error. */
  submit(connection: Connection): Error | null {
    const written: Buffer[] = [];
    const stream = { writable: true, write: (bytes: Buffer) => written.push(bytes) };
    const nothing = { value: () => {} };
    const unsent = Object.create(connection, { stream: { value: stream }, sync: nothing }) as Sent;
    const undescribed = Object.create(unsent, { describe: nothing }) as Sent;
    const known = columnsOf(connection);
    this.#writing = true;
    for (const step of this.#steps) {
      const columns =
        step.name !== undefined && step.name in unsent.parsedStatements ? known.get(step.name) : undefined;
      const refused = step.submit(columns ? undescribed : unsent) as unknown as Error | null;
      this.#refused ??= refused;
      if (columns) giveColumns(step, columns);
    }
    this.#writing = false;
    if (this.#refused) return this.#refused;
    connection.sync.call(unsent);
    if (connection.stream.writable) connection.stream.write(Buffer.concat(written));
    return null;
  }

  handleRowDescription(message: unknown): void {
    this.#current.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#current.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    const { name, _result } = this.#current;
    if (name !== undefined) keepColumns(connection, name, _result);
    this.#current.handleCommandComplete(message, connection);
    this.#at++;
  }

  handleEmptyQuery(): void {
    this.#at++;
  }

  handleCopyInResponse(connection: Connection): void {
    this.#current.handleCopyInResponse(connection);
  }

  handleCopyData(): void {}

  handleReadyForQuery(connection: Connection): void {
    this.#steps.at(-1)!.handleReadyForQuery(connection);
  }

  handleError(error: Error, connection: Connection): void {
    // The server has skipped them, so it does not know them.
    for (const { name } of this.#steps.slice(this.#at)) {
      if (name !== undefined) delete (connection as Sent).submittedNamedStatements[name];
    }
    this.#current.handleError(error, connection);
  }
}

function keepColumns(connection: Connection, name: string, { fields, _parsers, _prebuiltEmptyResultObject }: Columns) {
  const known = columnsOf(connection);
  // Without the rows, which the driver keeps there, too.
  if (!known.has(name)) known.set(name, { fields, _parsers, _prebuiltEmptyResultObject });
}

/** As if the server had described them. */
function giveColumns(step: Running, { fields, _parsers, _prebuiltEmptyResultObject }: Columns): void {
  Object.assign(step._result, { fields, _parsers, _prebuiltEmptyResultObject });
  step._accumulateRows = true;
}
