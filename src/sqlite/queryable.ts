import { formatExactJson } from '../domain/values/exact-json.ts';
import type { Queryable, Value } from '../storage/queryable.ts';
import { type Statement, toRows } from '../storage/statement.ts';
import type { Connection } from './connection.ts';
import { translateError } from './errors.ts';

export type Binding = bigint | number | string | null;
export type Prepared = ReturnType<typeof prepareStatement>;

export function prepareStatement(connection: Connection, text: string) {
  // A connection that was opened by a URI does not have this default.
  return connection.query<object, Binding[]>(text).safeIntegers(true);
}

/** Runs statements on a connection, and prepares each of them once. */
export function createQueryable(connection: Connection) {
  const prepare = createPrepare(connection);
  return {
    all: <Row extends object>(statement: Statement<Row>, values: readonly Value[] = []) => {
      try {
        return toRows(statement, prepare(statement).all(...toBindings(values)));
      } catch (error) {
        throw translateError(error, connection.filename);
      }
    },
  } satisfies Queryable;
}

/** Prepares each statement once. */
export function createPrepare(connection: Connection): (statement: Statement<object>) => Prepared {
  const prepared = new Map<Statement<object>, Prepared>();
  return (statement) => {
    let found = prepared.get(statement);
    if (found === undefined) {
      found = prepareStatement(connection, statement.sqlite);
      prepared.set(statement, found);
    }
    return found;
  };
}

/** Lists are bound as JSON for `json_each`. */
export function toBindings(values: readonly Value[]): Binding[] {
  return values.map((value) => (isList(value) ? formatExactJson(value) : value));
}

function isList(value: Value): value is Exclude<Value, Binding> {
  return Array.isArray(value);
}
