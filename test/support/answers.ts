import { expect } from 'bun:test';
import type { Pet } from '../../src/domain/pet.ts';
import { type ErrorCode, errorHttpStatus } from '../../src/http/failure.ts';
import { petSchema } from '../../src/http/operations/pets.ts';
import { origin } from './test-app.ts';

/** Checks the common properties of every error answer, and returns the message. */
export async function expectError(response: Response, code: ErrorCode): Promise<string> {
  const body = JSON.parse(await response.text());
  const status = errorHttpStatus[code];
  expect(body).toStrictEqual({ code, message: expect.any(String), status });
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).toBe('application/json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('x-content-type-options')).toBe('nosniff');
  expect(response.headers.get('x-request-id')).toMatch(/^[A-Za-z0-9/+_=.-]{1,128}$/);
  return body.message;
}

/** Parses JSON with every whole number as a bigint, so that no digit is lost. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined && /^-?[0-9]+$/.test(source)
      ? BigInt(source)
      : value,
  );
}

const strictPetSchema = petSchema.strict();

/** The animal of an answer, which must have this HTTP status. */
export async function readPet(response: Response, httpStatus = 200): Promise<Pet> {
  expect(response.status).toBe(httpStatus);
  return strictPetSchema.parse(parseExactly(await response.text()));
}

/** The animals of a page, which must be an array of them. */
export async function readPets(response: Response): Promise<Pet[]> {
  expect(response.status).toBe(200);
  return strictPetSchema.array().parse(parseExactly(await response.text()));
}

export async function readIds(response: Response): Promise<number[]> {
  return (await readPets(response)).map(({ id }) => Number(id));
}

/** The path of the next page; undefined on the last page. The address must be absolute. */
export function nextPath(response: Pick<Response, 'headers'>): string | undefined {
  const link = response.headers.get('link');
  if (link === null) return undefined;
  const url = /^<([^<>]+)>; rel="next"$/.exec(link)?.[1];
  expect(url).toStartWith(`${origin}/v1/`);
  return url?.slice(origin.length);
}

/** The cursor of the next page. */
export function nextCursor(response: Pick<Response, 'headers'>): string {
  return new URLSearchParams(nextPath(response)?.split('?')[1]).get('cursor') ?? '';
}
