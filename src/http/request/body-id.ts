/**
 * A body may repeat the `id` of the record that its path names, so that a client can send back what it read. `body` is not
 * checked: the schema of the operation refuses an `id` that is no integer.
 */
export function bodyIdFaults(
  body: Readonly<Record<string, unknown>>,
  id: bigint,
): readonly string[] {
  return typeof body.id === 'bigint' && body.id !== id
    ? [`id must be that of the path, ${id}, got ${body.id}`]
    : [];
}
