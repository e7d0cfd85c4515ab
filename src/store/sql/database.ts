/** The port to Postgres. This folder is the only one that imports a driver. */

/** Something that runs SQL: the pool, or one transaction. Text is constant with `$n`; rows come back as plain objects. */
export interface Queryable {
  query<Row extends object = Record<string, unknown>>(sql: string, params?: readonly unknown[]): Promise<Row[]>;
}

/** As `Queryable.query` takes it. */
export interface Statement {
  readonly sql: string;
  readonly params: readonly unknown[];
}

/** A pool of connections to one database. */
export interface Database extends Queryable {
  /**
   * Runs `work` in one transaction (read committed); commits when it resolves, rolls back when it rejects. If another transaction undid it (a deadlock, a
   * conflict of serializable ones), or the server had lost a prepared statement, `work` runs again, at most nine times. `opening` runs before the first
   * statement of `work` and is sent together with it; alone, if `work` has none.
   */
  transaction<T>(work: (tx: Queryable) => Promise<T>, opening?: Statement): Promise<T>;
  /** Runs `opening` and then one statement in a transaction of their own, in one round trip. Returns the rows of the statement. */
  queryAfter<Row extends object>(opening: Statement, sql: string, params?: readonly unknown[]): Promise<Row[]>;
  /** For messages: host, port and database name, never user or password. */
  readonly where: string;
  readonly kind: 'postgres' | 'embedded';
  /** For drivers that open their own connection (the listener, psql): carries the password, never print it. */
  readonly connectionString: string;
  close(): Promise<void>;
}
