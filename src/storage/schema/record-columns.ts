import { type Dialects, type Statement, statement } from '../statement.ts';
import { columnNames, type TableName, tables } from './tables.ts';

/** The member of a record that a column holds: `categoryId` for `category_id`. */
type MemberOf<Column> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<MemberOf<Rest>>}`
  : Column;

/** The tables that have a column for each member of a record. */
export type TableOf<Item> = {
  [Name in TableName]: keyof Item extends MemberOf<keyof (typeof tables)[Name]['columns']>
    ? Name
    : never;
}[TableName];

/** Each column of a table with the member of a record that it holds. */
export function columnMembers(name: TableName): readonly (readonly [string, string])[] {
  return columnNames(name).map((column) => [
    column,
    column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  ]);
}

/** The columns of records as a SELECT names them, and a function that makes a statement of such a SELECT. */
export function recordColumns<Item extends object>(
  name: TableOf<Item>,
): {
  readonly columns: string;
  readonly select: (text: string | Dialects) => Statement<Item>;
} {
  const types: Readonly<Record<string, string>> = tables[name].columns;
  const read = columnMembers(name).filter(([column]) => column !== 'workspace_id');
  const optional = read.flatMap(([column, member]) => (types[column]?.endsWith('?') ? member : []));
  return {
    columns: read
      .map(([column, member]) => (column === member ? column : `${column} AS "${member}"`))
      .join(', '),
    select: (text) => statement<Item>(text, [], optional),
  };
}
