/** In hexadecimal. */
export const sha256 = (text: string): string => Bun.SHA256.hash(text, 'hex');

const digest = new Uint8Array(32);

/** As bytes, which the next call overwrites. */
export function sha256Bytes(text: string): Uint8Array {
  Bun.SHA256.hash(text, digest);
  return digest;
}
