import { z } from 'zod';
import type { Page, PageRequest, SortOrder } from '../../domain/page.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { type Int64, int64Max, int64Min, parseInt64 } from '../../domain/values/int64.ts';
import { type Failure, fail, isFailure } from '../failure.ts';
import type { OperationSuccess } from '../operation.ts';
import { int64Schema, integerParameter } from './schemas.ts';

export const limitMax = 100;

/** The maximum number of values of a parameter for ids. */
const idsMax = 100;

/** The query parameter for the length of a page. */
export function limitParameter(description: string) {
  return integerParameter(1, limitMax, 20, description);
}

/** A query parameter that may be left out. */
export function optionalParameter<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().meta({ param: { description } });
}

/** The query parameter for the start of a page. */
export const cursorParameter = optionalParameter(
  z.string().meta({ override: { minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_\\-]+$' } }),
  'Start of the page. Opaque: use the whole URL from `Link`.',
);

/** A query parameter that may still change, of an operation that is stable. */
export function betaParameter<Schema extends z.ZodType>(schema: Schema, description: string) {
  return schema.optional().meta({
    param: {
      description: `${description} It is beta: it may still change.`,
      'x-stability': 'beta',
    },
  });
}

/** The query parameter for the order of a list. The default is undefined, so that it has the same cursors and cached pages. */
export function sortParameter(description: string) {
  const error = () => 'must be one of -id, id';
  return betaParameter(
    z.enum(['-id', 'id'], { error }).transform((sort) => (sort === 'id' ? sort : undefined)),
    description,
  );
}

/** The query parameter for records by their ids: distinct and ascending, so that equal filters have equal cursors. */
export function idsParameter(records: string) {
  return optionalParameter(
    z
      .array(int64Schema, { error: () => 'must be integers' })
      .min(1)
      .max(idsMax, { error: () => `must appear at most ${idsMax} times` })
      .overwrite((ids) => [...new Set(ids)].sort((left, right) => (left < right ? -1 : 1))),
    `Only ${records} with this id. Repeat the parameter for several, up to ${idsMax} times.`,
  );
}

/** A list as a client requests it. */
interface List {
  /** Its path below the public address. */
  readonly path: string;
  /** Distinguishes its cursors from those of other lists. The list of animals was first and has none. */
  readonly name?: string;
  readonly query: {
    readonly limit: number;
    readonly sort?: SortOrder | undefined;
    readonly from?: Int64 | undefined;
    readonly cursor?: string | undefined;
  };
  readonly filter: Filter;
}

/** Answers one page of a list as a bare array, with the path of the next page. */
export function answerPage<Item>(
  list: List,
  read: (request: PageRequest) => Awaitable<Page<Item> | Failure>,
  toJson: (item: Item) => object,
): Awaitable<OperationSuccess | Failure> {
  const { path, name, query, filter } = list;
  const { limit } = query;
  const tag = filterTag(filter, name);
  const afterId = findStart(list, tag);
  if (isFailure(afterId)) return afterId;
  return andThen(read({ limit, afterId }), (page) => {
    if (isFailure(page)) return page;
    const { items, nextAfterId } = page;
    // As text at once: the same objects, stringified by the caller, cost 1.5 µs more for 20 animals.
    const body = JSON.stringify(items.map(toJson));
    const recordCount = items.length;
    if (nextAfterId === undefined) return { body, recordCount };
    const cursor = formatCursor({ afterId: nextAfterId, filterTag: tag });
    return {
      body,
      recordCount,
      next: `${path}?limit=${limit}${formatFilter(filter)}&cursor=${cursor}`,
    };
  });
}

/** The id that the requested page starts after. Undefined for the first page. */
function findStart({ query, filter }: List, tag: number): Int64 | undefined | Failure {
  const { from, sort, cursor } = query;
  if (cursor === undefined) return from === undefined ? undefined : idBefore(from, sort);
  if (from === undefined) return readCursor(cursor, filter, tag);
  return fail('invalid_parameter', 'from must be left out of a request with a cursor');
}

/** The id before this one, in the order of the list. The ends of an int64 stay, because they are the id of no record. */
function idBefore(id: Int64, sort: SortOrder = '-id'): Int64 {
  if (sort === 'id') return id === int64Min ? id : id - 1n;
  return id === int64Max ? id : id + 1n;
}

/** The id that the page of a cursor starts after. */
function readCursor(text: string, filter: Filter, tag: number): Int64 | Failure {
  const cursor = parseCursor(text);
  if (cursor === undefined) {
    const advice = 'follow the Link header of the previous page';
    return fail('invalid_cursor', `cursor is not from this service; ${advice}`);
  }
  if (cursor.filterTag === tag) return cursor.afterId;
  const names = new Intl.ListFormat('en').format(Object.keys(filter));
  const whose = names === '' ? 'list' : `list or filter; ${names} must not change`;
  return fail('invalid_cursor', `cursor belongs to another ${whose}`);
}

/** The parameters of a filter, each after an ampersand. */
function formatFilter(filter: Filter): string {
  let formatted = '';
  for (const name of Object.keys(filter)) {
    const value = filter[name];
    if (value === undefined) continue;
    for (const one of typeof value === 'object' ? value : [value]) {
      formatted += `&${name}=${encodeURIComponent(String(one))}`;
    }
  }
  return formatted;
}

/** The parameters that restrict or sort a list, by name. */
type Filter = Readonly<Record<string, string | Int64 | readonly Int64[] | undefined>>;

/**
 * A tag of 32 bits that is the same for equal filters, and different for most others: the FNV-1a hash of the name of the list and the values.
 * Cursors never expire. So add a new parameter last: requests without it keep their tag.
 */
export function filterTag(filter: Filter, listName?: string): number {
  const values = Object.values(filter);
  if (listName !== undefined) values.unshift(listName);
  // Only what could be mistaken for several values is encoded.
  const parts = values.map((value) =>
    value === undefined ? '' : String(value).replace(/[%&]/g, encodeURIComponent),
  );
  while (parts.length < 2) parts.push('');
  while (parts.length > 2 && parts.at(-1) === '') parts.pop();
  const text = parts.join('&');
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/**
 * A cursor has the last id of its page and the tag of its filter. It needs no signature: a forged one only requests another
 * page of the caller's own list.
 */
interface Cursor {
  readonly afterId: Int64;
  readonly filterTag: number;
}

export function formatCursor({ afterId, filterTag }: Cursor): string {
  const text = `1.${afterId}.${filterTag.toString(16).padStart(8, '0')}`;
  // Digits, hexadecimal digits and full stops never encode to `+` or `/`.
  return btoa(text).replace(/=+$/, '');
}

/** Parses exactly what `formatCursor` writes. Anything else is undefined. */
export function parseCursor(text: string): Cursor | undefined {
  const decoded = Buffer.from(text, 'base64url').toString('latin1');
  const match = /^1\.(-?[0-9]+)\.([0-9a-f]{8})$/.exec(decoded);
  const afterId = parseInt64(match?.[1] ?? '');
  if (afterId === undefined || afterId === int64Min) return undefined;
  const cursor = { afterId, filterTag: Number.parseInt(match?.[2] ?? '', 16) };
  return formatCursor(cursor) === text ? cursor : undefined;
}
