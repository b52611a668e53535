import { type Counter, table } from './table.ts';

/** The key of a row of a workspace. */
const ofWorkspace = { workspace_id: 'int8', id: 'int8' } as const;
const ofWebhook = { workspace_id: 'int8', webhook_id: 'int8' } as const;

/** The tables of records, events, deliveries and imports. Each has a counter of ids in the row of its workspace. */
const countedTables = {
  pets: table({
    columns: { ...ofWorkspace, name: 'text', category_id: 'int8', status: 'text' },
    key: ['workspace_id', 'id'],
    counter: { column: 'next_pet_id', table: 'workspaces' },
  }),
  categories: table({
    columns: { ...ofWorkspace, name: 'text', description: 'text?', digest: 'text' },
    key: ['workspace_id', 'id'],
    counter: { column: 'next_category_id', table: 'workspaces', idsAreChosenToo: true },
    digest: { of: ['name', 'description'], subject: 'Category' },
  }),
  orders: table({
    columns: {
      ...ofWorkspace,
      ...{ pet_id: 'int8', status: 'text', ship_date: 'int8?', note: 'text?', digest: 'text?' },
    },
    key: ['workspace_id', 'id'],
    counter: { column: 'next_order_id', table: 'workspaces' },
    digest: { of: ['note'], subject: 'The note of order' },
  }),
  events: table({
    columns: {
      ...{ workspace_id: 'int8', sequence: 'int8', type: 'text' },
      ...{ record_id: 'int8', at: 'int8', json: 'text' },
    },
    key: ['workspace_id', 'sequence'],
    counter: { column: 'next_event_sequence', table: 'workspaces' },
  }),
  webhooks: table({
    columns: {
      ...ofWorkspace,
      ...{ url: 'text', types: 'text?', description: 'text?' },
      ...{ secret: 'text', previous_secret: 'text?', previous_secret_expires_at: 'int8?' },
      ...{ position: 'int8', revision: 'int8', created_at: 'int8', digest: 'text' },
    },
    key: ['workspace_id', 'id'],
    counter: { column: 'next_webhook_id', table: 'workspaces' },
    digest: {
      of: [
        ...(['url', 'types', 'description', 'secret'] as const),
        ...(['previous_secret', 'previous_secret_expires_at', 'created_at'] as const),
      ],
      subject: 'Webhook',
    },
    // The other columns are the state of deliveries: with the defaults of the schema, the webhooks of a copy are paused.
    mayOutliveWorkspace: true,
  }),
  webhook_deliveries: table({
    columns: {
      ...ofWebhook,
      ...{ id: 'int8', event_id: 'text', at: 'int8', attempt: 'int8' },
      ...{ http_status: 'int8?', error: 'text?', milliseconds: 'int8', response_excerpt: 'text?' },
    },
    key: ['workspace_id', 'webhook_id', 'id'],
    counter: { column: 'next_delivery_id', table: 'workspaces' },
    mayOutliveWorkspace: true,
  }),
  imports: table({
    columns: { ...ofWorkspace, source: 'text', expires_at: 'int8' },
    key: ['workspace_id', 'id'],
    counter: { column: 'next_import_id', table: 'workspaces' },
    mayOutliveWorkspace: true,
  }),
};

const counterColumns = Object.fromEntries(
  Object.values(countedTables).flatMap(({ counter }) =>
    counter === undefined ? [] : [[counter.column, 'int8'] as const],
  ),
);

/**
 * All tables, in the order in which they are copied. Copies, checksums, the verification, the deletion of a workspace, the
 * counters of a restore and the rows of records derive from this list. A test compares it with the migrations.
 */
export const tables = {
  meta: table({
    columns: {
      ...{ id: 'int8', environment: 'text?', next_workspace_id: 'int8', next_api_key_id: 'int8' },
      ...{ audit_count: 'int8', audit_digest: 'text' },
    },
    key: ['id'],
  }),
  workspaces: table({
    columns: {
      ...{ id: 'int8', name: 'text', version: 'int8', ...counterColumns },
      ...{ available_count: 'int8', pending_count: 'int8', sold_count: 'int8', created_at: 'int8' },
    },
    key: ['id'],
    // The migration creates the first workspace.
    counter: { column: 'next_workspace_id', table: 'meta', first: 2 },
  }),
  api_keys: table({
    columns: {
      ...{ id: 'int8', workspace_id: 'int8', name: 'text', digest: 'text', last_four: 'text' },
      ...{ scopes: 'text', rate_limit: 'text?', created_at: 'int8', expires_at: 'int8?' },
      ...{ revoked_at: 'int8?', is_revoked: 'int8', last_used_at: 'int8?' },
    },
    key: ['id'],
    counter: { column: 'next_api_key_id', table: 'meta' },
  }),
  audit_entries: table({
    columns: {
      ...{ id: 'int8', at: 'int8', actor: 'text', event: 'text', details: 'text', digest: 'text' },
    },
    key: ['id'],
  }),
  deprecated_calls: table({
    columns: {
      ...{ workspace_id: 'int8', api_key_id: 'int8', operation_id: 'text' },
      ...{ call_count: 'int8', last_called_at: 'int8' },
    },
    key: ['workspace_id', 'api_key_id', 'operation_id'],
  }),
  idempotency_keys: table({
    columns: {
      ...{ workspace_id: 'int8', operation_id: 'text', key: 'text' },
      ...{ request_digest: 'text', ok: 'text', expires_at: 'int8' },
    },
    key: ['workspace_id', 'operation_id', 'key'],
  }),
  ...countedTables,
  console_tokens: table({
    columns: {
      ...{ digest: 'text', is_link: 'int8', workspace_id: 'int8', api_key_digest: 'text?' },
      ...{ created_at: 'int8', last_active_at: 'int8', expires_at: 'int8', address: 'text?' },
    },
    key: ['digest'],
    // A session of this database is not a session of a copy.
    isLocal: true,
  }),
  webhook_retries: table({
    columns: { ...ofWebhook, sequence: 'int8', attempt: 'int8', next_attempt_at: 'int8' },
    key: ['workspace_id', 'webhook_id', 'sequence'],
    mayOutliveWorkspace: true,
  }),
  imported_records: table({
    columns: {
      ...{ workspace_id: 'int8', import_id: 'int8', kind: 'text', place: 'int8' },
      ...{ record_id: 'int8', version: 'text' },
    },
    key: ['workspace_id', 'import_id', 'kind', 'place'],
    mayOutliveWorkspace: true,
  }),
};

type CountedName = keyof typeof countedTables;
export type TableName = keyof typeof tables;
export const tableNames = Object.keys(tables) as readonly TableName[];

/** Tables that are empty in copies, backups and restored databases. */
export const localTables = tableNames.filter((name) => tables[name].isLocal === true);

/** Tables that a copy contains. */
export const copiedTables = tableNames.filter((name) => !localTables.includes(name));

/** The member of a row that a column holds: `categoryId` for `category_id`. */
type MemberOf<Column> = Column extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<MemberOf<Rest>>}`
  : Column;

/** The tables of records that have a column for each member of a record. */
export type TableOf<Item> = {
  [Name in CountedName]: keyof Item extends MemberOf<keyof (typeof countedTables)[Name]['columns']>
    ? Name
    : never;
}[CountedName];

export function columnNames(name: TableName): readonly string[] {
  return Object.keys(tables[name].columns);
}

/** The members of a row that hold these columns. */
export function memberNames(columns: readonly string[]): readonly string[] {
  return columns.map((column) =>
    column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
  );
}

/** These columns as a SELECT names them, so that its rows have their members. */
export function columnList(columns: readonly string[]): string {
  const members = memberNames(columns);
  return columns.map((column, index) => `${column} AS "${members[index]}"`).join(', ');
}

/** The end of an INSERT that replaces rows with the same key. */
export function replaceClause(name: TableName): string {
  const { key } = tables[name];
  const others = columnNames(name).filter((column) => !key.includes(column));
  const replaced = others.map((column) => `${column} = excluded.${column}`).join(', ');
  return `ON CONFLICT (${key.join(', ')}) DO UPDATE SET ${replaced}`;
}

/** Every counter of ids, with the table whose ids it counts. */
export const counters: readonly (Counter & { readonly of: TableName })[] = tableNames.flatMap(
  (of) => {
    const { counter } = tables[of];
    return counter === undefined ? [] : [{ of, ...counter }];
  },
);

/** Tables whose rows belong to a workspace and are deleted with it. */
export const workspaceTables = tableNames.filter((name) => 'workspace_id' in tables[name].columns);
