/**
 * A body may have the `id` of the record in the path, so that a client can send back the record that it read. `body` is not
 * checked: the schema of the operation rejects an `id` that is no integer.
 */
export function bodyIdFaults(
  body: Readonly<Record<string, unknown>>,
  id: bigint,
): readonly string[] {
  return typeof body.id === 'bigint' && body.id !== id
    ? [`id must be that of the path, ${id}, got ${body.id}`]
    : [];
}

/**
 * Faults of a JSON Merge Patch (RFC 7396) that its schema cannot find: an `id` other than that of the path, and a body that is
 * not `{}` but changes nothing, which is probably a mistake. `body` is not checked.
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
