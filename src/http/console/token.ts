/** A secret of a link or a session, 256 random bits as 43 characters of base64url, and the digest that is stored in its place. */
export function newConsoleToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const text = bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
  return { text, digest: digestToken(text) };
}

/** Whether a text can be a token at all. */
export function isConsoleToken(text: string): boolean {
  return /^[A-Za-z0-9_-]{43}$/.test(text);
}

/** SHA-256, in hexadecimal. */
export function digestToken(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}
