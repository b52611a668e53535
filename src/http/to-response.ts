import type { Answer } from './answer.ts';

/**
 * Makes responses. One that will be sent many times is made once and copied, which costs a fraction of
 * making it; `headers` are those of this request alone.
 */
export function createToResponse(always: Readonly<Record<string, string>>) {
  const prototypes = new WeakMap<Answer, Response>();

  function make({ httpStatus, headers, body }: Answer, more: Record<string, string>): Response {
    // Bun takes text that comes bit by bit as well, which the types of the platform do not know.
    const response = new Response(body as string | null, {
      status: httpStatus,
      headers: { ...always, ...headers },
    });
    addHeaders(response.headers, more);
    return response;
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
    // These are lists, to which both the answer and its request may have something to say.
    if (name === 'vary' || name === 'link') headers.append(name, value);
    else headers.set(name, value);
  }
}
