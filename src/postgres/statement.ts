/** A statement that each connection has the server prepare once. `Row` is what comes back, by column. */
export interface Statement<Row extends object = never> {
  readonly name: string;
  readonly text: string;
  /** Only the type of the rows; never there. */
  readonly row?: Row;
}

/** The same text has the same name, on every machine. */
export function statement<Row extends object = never>(text: string): Statement<Row> {
  return { name: Bun.hash(text).toString(36), text };
}

/** Where statements run: a connection inside a transaction, or any of the pool. */
export interface Session {
  run<Row extends object>(
    statement: Statement<Row>,
    values?: readonly unknown[],
  ): Promise<{ readonly rows: readonly Row[]; readonly count: number }>;
}
