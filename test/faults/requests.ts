/** The key that every server of these tests accepts. */
export const apiKey = 'key-of-the-fault-runs-0001';

export const authorization = { authorization: `Bearer ${apiKey}` } as const;

/** Longer than any request may take. */
const timeoutMilliseconds = 20_000;

export interface Answer<Body> {
  /** 0 if no answer came. */
  readonly httpStatus: number;
  readonly timedOut: boolean;
  readonly headers: Headers;
  /** Parsed if it is JSON. Undefined if it is empty or if no answer came. */
  readonly body: Body | undefined;
  /** The address of the next page. */
  readonly next: string | undefined;
  readonly startedAt: number;
  readonly endedAt: number;
}

export interface RequestOptions {
  readonly method?: string;
  /** Sent as JSON. */
  readonly content?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends a request with the key of the tests. Never rejects. */
export async function request<Body>(
  url: string,
  { method = 'GET', content, headers = {} }: RequestOptions = {},
): Promise<Answer<Body>> {
  const startedAt = performance.now();
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const result = await fetch(url, {
    method,
    headers: { ...authorization, ...(content && { 'content-type': type }), ...headers },
    ...(content && { body: JSON.stringify(content) }),
    signal: AbortSignal.timeout(timeoutMilliseconds),
  })
    .then(async (response) => ({ response, text: await response.text() }))
    .catch((error) => ({ error }));
  const endedAt = performance.now();
  if ('error' in result) {
    const { error } = result;
    const timedOut = error instanceof DOMException && error.name === 'TimeoutError';
    const none = { headers: new Headers(), body: undefined, next: undefined };
    return { ...none, httpStatus: 0, timedOut, startedAt, endedAt };
  }
  const { response, text } = result;
  return {
    httpStatus: response.status,
    timedOut: false,
    headers: response.headers,
    body: /^[{[]/.test(text) ? JSON.parse(text) : undefined,
    next: /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1],
    startedAt,
    endedAt,
  };
}

/** Reads all pages of a list, from an earlier first page or an address. Stops at an answer that is not 200. */
export async function* readPages<Item>(
  first: string | Answer<Item[]>,
): AsyncGenerator<Answer<Item[]>> {
  let page = typeof first === 'string' ? await request<Item[]>(first) : first;
  yield page;
  while (page.httpStatus === 200 && page.next !== undefined) {
    page = await request<Item[]>(page.next);
    yield page;
  }
}

/** The body of an answer to `createPet`. */
export interface AddedAnimal {
  readonly id?: number;
  readonly code?: string;
}

export function addAnimal(
  origin: string,
  name: string,
  headers?: RequestOptions['headers'],
): Promise<Answer<AddedAnimal>> {
  const content = { name, categoryId: 1 };
  return request(`${origin}/v1/pets`, { method: 'POST', content, ...(headers && { headers }) });
}
