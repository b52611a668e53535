import { bodyIdFaults } from './body-id.ts';

/**
 * Faults of a JSON Merge Patch (RFC 7396) that its schema cannot tell: an `id` other than that of the path, and a body that is
 * not `{}` and has none of the members that can be changed, which is most probably a mistake. `body` is not checked.
 */
export function patchFaults(
  body: Readonly<Record<string, unknown>>,
  id: bigint,
  members: readonly string[],
): readonly string[] {
  const idFaults = bodyIdFaults(body, id);
  if (idFaults.length > 0) return idFaults;
  const isOdd = body.id !== undefined && typeof body.id !== 'bigint';
  const isEmpty = Object.keys(body).length === 0;
  return isOdd || isEmpty || members.some((name) => Object.hasOwn(body, name))
    ? []
    : [`The body must have one of ${members.join(', ')}, or no member`];
}
