/** Returns the SHA-256 of a text, in hexadecimal. */
export const sha256 = (text: string): string => Bun.SHA256.hash(text, 'hex');
