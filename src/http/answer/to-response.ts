import type { Answer } from './answer.ts';

/**
 * Makes responses. One that will be sent many times is made once and copied, which costs a fraction of
 * making it; `headers` are those of this request alone.
 */
export function createToResponse(always: Readonly<Record<string, string>>) {
  const prototypes = new WeakMap<Answer, Response>();

  function make({ httpStatus, headers, body }: Answer, more: Record<string, string>): Response {
    const all: Record<string, string> = { ...always, ...headers };
    for (const name in more) {
      const value = more[name] ?? '';
      const before = isList(name) ? all[name] : undefined;
      all[name] = before === undefined ? value : `${before}, ${value}`;
    }
    // Bun takes text that comes bit by bit as well, which the types of the platform do not know.
    return new Response(body as string | null, { status: httpStatus, headers: all });
  }

  return (answer: Answer, headers: Record<string, string>): Response => {
    if (answer.reused !== true) return make(answer, headers);
    let prototype = prototypes.get(answer);
    if (prototype === undefined) {
      prototype = make(answer, {});
      prototypes.set(answer, prototype);
    }
    const response = prototype.clone() as unknown as Response;
    addHeaders(response.headers, headers);
    return response;
  };
}

function addHeaders(headers: Headers, more: Readonly<Record<string, string>>): void {
  for (const name in more) {
    const value = more[name] ?? '';
    if (isList(name)) headers.append(name, value);
    else headers.set(name, value);
  }
}

/** To these, both the answer and its request may have something to say. */
function isList(name: string): boolean {
  return name === 'vary' || name === 'link';
}
