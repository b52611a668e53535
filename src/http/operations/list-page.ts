import { z } from 'zod';
import type { Page, PageRequest } from '../../domain/page.ts';
import { type Awaitable, andThen } from '../../domain/values/awaitable.ts';
import { type Failure, fail, isFailure } from '../answer/answer.ts';
import type { OperationSuccess } from '../operation.ts';
import {
  type Cursor,
  cursorLengthMax,
  cursorPattern,
  type Filter,
  filterTag,
  formatCursor,
  parseCursor,
} from './cursor.ts';
import { int64Schema } from './schemas.ts';

const limitMin = 1;
export const limitMax = 100;
const limitDefault = 20;

/** How many `id` parameters one request may have. */
const idsMax = 100;

const limitRule = `must be an integer from ${limitMin} to ${limitMax}`;

/** The query parameter of every list that says how long a page may be. */
export function limitParameter(description: string) {
  return z
    .int({ error: () => limitRule })
    .min(limitMin, { error: () => limitRule })
    .max(limitMax, { error: () => limitRule })
    .default(limitDefault)
    .meta({ param: { description, example: limitDefault } });
}

/** The query parameter of every list that says where the page starts. */
export const cursorParameter = z
  .string()
  .optional()
  .meta({
    override: { minLength: 1, maxLength: cursorLengthMax, pattern: cursorPattern.source },
    param: {
      description: 'Start of the page. Opaque: use the whole URL from `Link`.',
    },
  });

/** The query parameter of lists that can be of chosen records. */
export function idsParameter(records: string) {
  return z
    .array(int64Schema, { error: () => 'must be integers' })
    .min(1)
    .max(idsMax, { error: () => `must appear at most ${idsMax} times` })
    .optional()
    .meta({
      param: {
        description: `Only ${records} with this id. Repeat the parameter for several, up to ${idsMax} times.`,
      },
    });
}

/** Equal for lists of the same records. */
export function distinctAscending(
  ids: readonly bigint[] | undefined,
): readonly bigint[] | undefined {
  if (ids === undefined) return undefined;
  return [...new Set(ids)].sort((left, right) => (left < right ? -1 : 1));
}

export interface List<Item> {
  /** Of the list, below the public address. */
  readonly path: string;
  /** Tells its cursors from those of other lists. Those of animals were given out before there were others. */
  readonly kind?: string;
  readonly query: { readonly limit: number; readonly cursor?: string | undefined };
  readonly filter: Filter;
  readonly read: (request: PageRequest) => Awaitable<Page<Item>>;
  /** What `JSON.stringify` makes its JSON of. */
  readonly toJson: (item: Item) => object;
}

/** One page of a list as a bare array, with the address of the next one. */
export function answerPage<Item>(list: List<Item>): Awaitable<OperationSuccess | Failure> {
  const { path, kind, query, filter, read, toJson } = list;
  const tag = filterTag(kind === undefined ? filter : { kind, ...filter });
  const cursor = query.cursor === undefined ? undefined : readCursor(query.cursor, filter, tag);
  if (isFailure(cursor)) return cursor;
  const { limit } = query;
  return andThen(read({ limit, belowId: cursor?.belowId }), ({ items, nextBelowId }) => {
    // The whole page at once: one by one it takes twice as long.
    const body = JSON.stringify(items.map(toJson));
    if (nextBelowId === undefined) return { body };
    const next = formatCursor({ belowId: nextBelowId, filterTag: tag });
    return {
      body,
      next: `${path}?${formatParameters({ limit: String(limit), ...filter, cursor: next })}`,
    };
  });
}

function readCursor(text: string, filter: Filter, tag: number): Cursor | Failure {
  const cursor = parseCursor(text);
  if (cursor === undefined) {
    const advice = 'follow the Link header of the previous page';
    return fail('invalid_cursor', `cursor is not from this service; ${advice}`);
  }
  if (cursor.filterTag !== tag) {
    const names = new Intl.ListFormat('en').format(Object.keys(filter));
    const whose = names === '' ? 'list' : `list or filter; ${names} must not change`;
    return fail('invalid_cursor', `cursor belongs to another ${whose}`);
  }
  return cursor;
}

function formatParameters(parameters: Filter): string {
  const formatted: string[] = [];
  for (const [name, value] of Object.entries(parameters)) {
    if (value === undefined) continue;
    for (const one of typeof value === 'object' ? value : [value]) {
      formatted.push(`${name}=${encodeURIComponent(String(one))}`);
    }
  }
  return formatted.join('&');
}
