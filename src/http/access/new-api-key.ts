import { type Environment, generateApiKey } from '../../domain/access/api-key.ts';
import { digestApiKey } from './authenticate.ts';

/** A fresh key, and the parts of it that are stored. */
export function newApiKey(environment: Environment) {
  const text = generateApiKey(
    environment,
    (count) => crypto.getRandomValues(new Uint8Array(count)),
    Bun.hash.crc32,
  );
  return { text, digest: digestApiKey(text), lastFour: text.slice(-4) };
}
