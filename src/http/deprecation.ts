import { type Failure, fail } from '../domain/error.ts';
import type { OperationDeprecation } from './operation.ts';
import type { OperationServices, RequestContext } from './request-context.ts';

/**
 * What every answer of an operation says while it goes away: since when (RFC 9745), until when (RFC 8594,
 * an HTTP-date, which ends in GMT), and what to use instead. Once it is gone it is no longer deprecated.
 */
export function deprecationHeaders(
  deprecation: OperationDeprecation,
  baseUrl: string,
  now: number,
): Record<string, string> {
  const headers = {
    sunset: new Date(deprecation.removedAt).toUTCString(),
    link: `<${baseUrl}${deprecation.successorPath}>; rel="successor-version"`,
  };
  if (now >= deprecation.removedAt) return headers;
  return { deprecation: `@${Math.floor(deprecation.deprecatedAt / 1000)}`, ...headers };
}

/** The refusal of an operation that was removed. */
export function refuseRemoved(
  { now }: RequestContext,
  { operation }: OperationServices,
): Failure | undefined {
  const { deprecation } = operation;
  if (deprecation === undefined || now < deprecation.removedAt) return undefined;
  const date = new Date(deprecation.removedAt).toISOString().slice(0, 10);
  return fail(
    'operation_removed',
    `${operation.method} ${operation.path} was removed on ${date}; use ${deprecation.successor}`,
  );
}
