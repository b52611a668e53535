import { expect, test } from 'bun:test';
import { parseLocation } from './location.ts';

test('modes of TLS that check the certificate cause no warning of the driver', () => {
  const warnings: Error[] = [];
  const emit = process.emitWarning;
  process.emitWarning = ((warning: Error) => void warnings.push(warning)) as typeof emit;
  try {
    for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
      const { config } = parseLocation(`postgres://a:b@db/shop?sslmode=${mode}&application_name=x`);
      expect(config.ssl).toEqual({});
    }
    expect(parseLocation('postgres://a:b@db/shop?sslmode=disable').config.ssl).toBe(false);
    const system = 'postgres://a:b@db/shop?sslrootcert=system&sslmode=verify-full';
    expect(parseLocation(system).config.ssl).toEqual({});
  } finally {
    process.emitWarning = emit;
  }
  expect(warnings).toEqual([]);
});

test.each([
  ['shop%3Bdrop', 'shop;drop'],
  ['a%27b%2Fc%3F%24', "a'b/c?$"],
  ['Kr%C3%A4he', 'Krähe'],
  ['shop', 'shop'],
])('the name %s of a database is decoded whole', (encoded, name) => {
  expect(parseLocation(`postgres://a:b@db/${encoded}?application_name=x`).config.database).toBe(
    name,
  );
});
