import type { OperationDeprecation } from '../operation.ts';
import type { OperationServices, RequestContext } from '../request-context.ts';
import { type Failure, fail } from './answer.ts';

/**
 * What every answer of an operation says while it goes away: since when (RFC 9745), until when (RFC 8594,
 * an HTTP-date, which ends in GMT), and what to use instead. Once it is gone it is no longer deprecated.
 */
export function createDeprecationHeaders({
  deprecatedAt,
  removedAt,
  successorPath,
}: OperationDeprecation): (baseUrl: string, now: number) => Record<string, string> {
  const sunset = new Date(removedAt).toUTCString();
  const deprecation = `@${Math.floor(deprecatedAt / 1000)}`;
  return (baseUrl, now) => {
    const link = `<${baseUrl}${successorPath}>; rel="successor-version"`;
    return now >= removedAt ? { sunset, link } : { deprecation, sunset, link };
  };
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
