import { describe, expect, test } from 'bun:test';
import { expectError } from './support/answers.ts';
import { openSharedApp } from './support/shared-app.ts';
import { openTestApp } from './support/test-app.ts';

function animal(categoryId: string): string {
  return `{"name":"Rex","categoryId":${categoryId}}`;
}

describe('categoryId keeps every digit in the text of every answer:', () => {
  test.each([
    ['-0', '0'],
    ['1', '1'],
    ['999999999999999', '999999999999999'],
    ['-1000000000000000', '-1000000000000000'],
    ['9007199254740993', '9007199254740993'],
    ['-9007199254740993', '-9007199254740993'],
    ['9223372036854775807', '9223372036854775807'],
    ['-9223372036854775808', '-9223372036854775808'],
    ['3.0', '3'],
    ['1e3', '1000'],
    ['0e400', '0'],
    ['10e-1', '1'],
    ['1.5e1', '15'],
    ['9223372036854775807.000', '9223372036854775807'],
    ['9.223372036854775807e18', '9223372036854775807'],
    ['-92233720368547758080e-1', '-9223372036854775808'],
  ])('%s is kept as %s', async (sent, kept) => {
    await using app = await openTestApp();
    const pet = `{"id":1,"name":"Rex","categoryId":${kept},"status":"available"}`;
    expect(await (await app.post(animal(sent))).text()).toBe(pet);
    expect(await (await app.send('/v1/pets/1')).text()).toBe(pet);
    expect(await (await app.send('/v1/pets')).text()).toBe(`[${pet}]`);
    expect(await (await app.send('/v1/pets?id=1')).text()).toBe(`[${pet}]`);
    expect(await (await app.send('/v1/pets?status=available')).text()).toBe(`[${pet}]`);
    expect(await (await app.send('/v1/pets?status=available&id=1')).text()).toBe(`[${pet}]`);
  });
});

describe('POST /v1/pets answers 400', () => {
  const opening = openSharedApp();

  test.each([
    '9223372036854775808',
    '-9223372036854775809',
    '9.223372036854775808e18',
    '1e400',
    '1.5',
    '1e-1',
    '1e-400',
    '9223372036854775807.5',
    '"1"',
    'null',
    '{"rawJSON":"1"}',
  ])('invalid_body to the categoryId %s', async (categoryId) => {
    const { post } = await opening;
    const message = await expectError(await post(animal(categoryId)), 'invalid_body');
    expect(message).toContain('from -9223372036854775808 to 9223372036854775807');
  });

  test('invalid_body to a categoryId with 10 000 digits', async () => {
    const { post } = await opening;
    const message = await expectError(await post(animal('9'.repeat(10_000))), 'invalid_body');
    expect(message.length).toBeLessThan(256);
  });
});
