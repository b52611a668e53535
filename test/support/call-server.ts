interface Called {
  /** Such as `http://127.0.0.1:40123`. */
  readonly origin: string;
}

/** Calls a server with a key. A body is sent as JSON, and text unchanged. */
export function call(
  { origin }: Called,
  apiKey: string | undefined,
  path: string,
  method = 'GET',
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(`${origin}${path}`, {
    method,
    ...(body === undefined ? {} : { body: text }),
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', ...headers },
  });
}

/** Adds an animal. */
export function addAnimal(server: Called, apiKey: string | undefined): Promise<Response> {
  return call(server, apiKey, '/v1/pets', 'POST', { name: 'Rex', categoryId: 1 });
}

/** Adds an animal, and returns its id. */
export async function addedId(server: Called, apiKey: string | undefined): Promise<number> {
  const response = await addAnimal(server, apiKey);
  if (response.status !== 201) throw new Error(`An animal was answered ${response.status}`);
  return ((await response.json()) as { id: number }).id;
}
