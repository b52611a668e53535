import { expect } from 'bun:test';
import type { TestServer } from './test-server.ts';

/** The text of the last request of a connection, with a key unless the headers have one. */
export function request(
  { app }: TestServer,
  line: string,
  headers: readonly string[] = ['Host: h.example'],
  body = '',
): string {
  const key = headers.some((header) => header.startsWith('Authorization'))
    ? []
    : [`Authorization: Bearer ${app.apiKey}`];
  return `${[line, ...headers, ...key, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`;
}

export function postHeaders(...more: readonly string[]): string[] {
  return ['Host: h.example', 'Content-Type: application/json', ...more];
}

/** The answers on one connection, in order. */
export function readAnswers(
  received: string,
  bodies: 'with bodies' | 'without' = 'with bodies',
): Response[] {
  const answers: Response[] = [];
  let rest = received;
  while (rest !== '') {
    const headEnd = rest.indexOf('\r\n\r\n');
    const [line = '', ...fields] = rest.slice(0, headEnd).split('\r\n');
    const headers = new Headers(
      fields.map((field): [string, string] => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon), field.slice(colon + 1)];
      }),
    );
    const length = bodies === 'without' ? 0 : Number(headers.get('content-length') ?? 0);
    const bodyStart = headEnd + 4;
    const body = Buffer.from(rest.slice(bodyStart, bodyStart + length), 'latin1');
    expect(line).toMatch(/^HTTP\/1\.1 [1-5][0-9]{2} /);
    expect(headEnd).toBeGreaterThan(0);
    expect(body).toHaveLength(length);
    answers.push(new Response(body, { status: Number(line.split(' ')[1]), headers }));
    rest = rest.slice(bodyStart + length);
  }
  return answers;
}

/** The only answer to a text. After it the server still answers others, and has logged no fault. */
export async function ask(server: TestServer, ...pieces: readonly string[]): Promise<Response> {
  const answers = readAnswers(await server.exchange(...pieces));
  await expectServing(server);
  const [answer] = answers;
  if (answer === undefined || answers.length > 1) throw new Error(`${answers.length} answers came`);
  return answer;
}

export async function expectServing(server: TestServer): Promise<void> {
  const [answer] = readAnswers(await server.exchange(request(server, 'GET /v1/pets HTTP/1.1')));
  expect(answer?.status).toBe(200);
  expect(server.app.failures).toEqual([]);
}
