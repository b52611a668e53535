/** Of a link or a session: 256 random bits as 43 characters of base64url. */
export interface ConsoleToken {
  readonly text: string;
  /** SHA-256 of the text, in hexadecimal: what is stored in its place. */
  readonly digest: string;
}

export function newConsoleToken(): ConsoleToken {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  const text = bytes.toBase64({ alphabet: 'base64url', omitPadding: true });
  return { text, digest: digestToken(text) };
}

const form = /^[A-Za-z0-9_-]{43}$/;

/** Whether a text can be a token at all. */
export function isConsoleToken(text: string): boolean {
  return form.test(text);
}

export function digestToken(text: string): string {
  return Bun.SHA256.hash(text, 'hex');
}
