import { echo } from '../domain/echo.ts';
import { schemaScripts } from '../storage/schema/prepare-schema.ts';
import { Connection } from './connection.ts';
import { createLifeTable } from './life/life-table.ts';

interface SchemaComparison {
  /** A line for each definition of this program that is missing or changed, and for each trigger that was added. */
  readonly faults: readonly string[];
  /** At most one line, about tables, views and indexes of other programs. */
  readonly notes: readonly string[];
}

/** Tables that a file may lack, but not have with another definition. They are outside of the numbered schema. */
const optionalTables: readonly string[] = [createLifeTable];

/** Table-valued functions in our statements. A table of that name would be read instead. */
const functionNames = ['json_each'];

/** Tables of SQLite itself (https://sqlite.org/fileformat2.html#intschema). */
const internalTable = /^sqlite_(?:sequence|stat[1-4])$/;

const namesMax = 10;

/** Compares the definitions in a file with those that the migrations up to a version make. Runs nothing of the file. */
export function compareSchema(connection: Connection, version: number): SchemaComparison {
  const scripts = schemaScripts('sqlite');
  const required = readObjects(scripts.slice(0, version));
  const optional = readObjects(optionalTables);
  const later = new Set(readObjects(scripts).map(keyOf));
  const found = selectObjects(connection);
  const foundByKey = Map.groupBy(found, keyOf);
  const isSame = (expected: SchemaObject) => {
    const [object, ...more] = foundByKey.get(keyOf(expected)) ?? [];
    return object !== undefined && more.length === 0 && textOf(object) === textOf(expected);
  };
  const present = optional.filter((object) => foundByKey.has(keyOf(object)));
  const changed = [...required, ...present].filter((object) => !isSame(object));
  const known = new Set([...required, ...optional].map(keyOf));
  const others = found
    .filter((object) => !known.has(keyOf(object)))
    .map((object) => ({ object, fault: describeFault(object, later) }));
  return {
    faults: [
      ...changed.map(
        ({ type, name }) => `The definition of ${type} ${name} is missing or was changed`,
      ),
      ...others.flatMap(({ fault }) => fault ?? []),
    ],
    notes: describeOthers(
      others.flatMap(({ object, fault }) =>
        fault === undefined && !/^sqlite_autoindex_/i.test(object.name) ? [object] : [],
      ),
    ),
  };
}

/** Why an object that is not part of the schema is a fault. */
function describeFault(object: SchemaObject, later: ReadonlySet<string>): string | undefined {
  const { type, name, table } = object;
  const folded = fold(name);
  const title = `${type.charAt(0).toUpperCase()}${type.slice(1)} ${show(name)}`;
  if (type === 'trigger') return `${title} on ${show(table)} was added`;
  if (!['table', 'view', 'index'].includes(type)) {
    return `${show(name)} is of an unknown kind: ${show(type)}`;
  }
  if (later.has(keyOf(object))) return `${title} belongs to a later version of the schema`;
  if (functionNames.includes(folded)) return `${title} hides a function of SQLite`;
  const isReserved = folded.startsWith('sqlite_') && type !== 'index';
  return isReserved && !internalTable.test(folded)
    ? `${title} has a name that SQLite reserves`
    : undefined;
}

function describeOthers(others: readonly SchemaObject[]): readonly string[] {
  if (others.length === 0) return [];
  const names = others.slice(0, namesMax).map(({ type, name }) => `${type} ${show(name)}`);
  const more = others.length - names.length;
  const rest = more === 0 ? '' : ` and ${more} others`;
  return [`Also in the file, not checked: ${names.join(', ')}${rest}.`];
}

interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly table: string;
  /** A page with its rows. Without it, SQLite knows the object by its text alone. */
  readonly hasRoot: number;
  /** Empty for an index of a constraint. */
  readonly sql: string;
}

const select = `
  SELECT coalesce(CAST(type AS TEXT), '') AS type, coalesce(CAST(name AS TEXT), '') AS name,
    coalesce(CAST(tbl_name AS TEXT), '') AS "table", coalesce(rootpage, 0) > 0 AS "hasRoot",
    coalesce(CAST(sql AS TEXT), '') AS sql
  FROM main.sqlite_schema ORDER BY rowid`;

function selectObjects(connection: Connection): readonly SchemaObject[] {
  return connection
    .query<SchemaObject, []>(select)
    .all()
    .map((object) => ({ ...object, hasRoot: Number(object.hasRoot) }));
}

function readObjects(scripts: readonly string[]): readonly SchemaObject[] {
  using created = new Connection(':memory:');
  for (const script of scripts) created.run(script);
  return selectObjects(created);
}

/** Tables, views and indexes share their names. Triggers have names of their own. */
function keyOf({ type, name }: SchemaObject): string {
  return `${type === 'trigger' ? 'trigger' : 'object'} ${fold(name)}`;
}

/** SQLite ignores the case of ASCII letters alone. */
function fold(name: string): string {
  return name.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

function textOf({ type, table, hasRoot, sql }: SchemaObject): string {
  return [type, fold(table), hasRoot, normalize(sql)].join(' ');
}

/** Text in quotes, or what separates tokens: comments and white space (https://sqlite.org/lang_comment.html). */
const tokens =
  /'(?:[^']|'')*'?|"(?:[^"]|"")*"?|`(?:[^`]|``)*`?|\[[^\]]*\]?|((?:--[^\n]*|\/\*.*?(?:\*\/|$)|[ \t\n\f\r])+)/gs;

/** The same for texts that SQLite reads as the same tokens. It does not end a comment at the line breaks of JavaScript. */
function normalize(sql: string): string {
  return sql.replaceAll(tokens, (token, space) => (space === undefined ? token : ' ')).trimEnd();
}

/** A name as in our definitions, or quoted: names in a file can have any length and any characters. */
function show(name: string): string {
  return /^\w{1,40}$/.test(name) ? name : echo(name);
}
