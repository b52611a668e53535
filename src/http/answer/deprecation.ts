import type { OperationBase, OperationDeprecation } from '../operation.ts';
import { type Failure, fail } from './answer.ts';

/**
 * The headers of a deprecated operation: since when it is deprecated (RFC 9745), when it is removed (RFC 8594, an HTTP-date),
 * and its successor. After its removal it is no longer deprecated.
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

/** The failure of an operation that was removed. */
export function operationRemoved(
  { method, path }: OperationBase,
  { removedAt, successor }: OperationDeprecation,
): Failure {
  const date = new Date(removedAt).toISOString().slice(0, 10);
  return fail('operation_removed', `${method} ${path} was removed on ${date}; use ${successor}`);
}
