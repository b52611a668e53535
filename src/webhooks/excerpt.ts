const excerptBytesMax = 4096;

/** Collects the beginning of a response body as text. */
export function createExcerpt() {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return {
    add(chunk: Buffer): void {
      // A copy, because a part would keep the whole buffer in memory.
      const part = Buffer.from(chunk.subarray(0, excerptBytesMax - bytes));
      if (part.length > 0) chunks.push(part);
      bytes += part.length;
    },
    /** Undefined if the body is empty. */
    read: (): string | undefined => toText(Buffer.concat(chunks)) || undefined,
  };
}

/** Valid text without control characters, except line feeds, and without those that change the direction of text or end lines. */
function toText(bytes: Buffer): string {
  // With `stream`, a character that is cut at the end is left out.
  const text = new TextDecoder().decode(bytes, { stream: true });
  const clean = text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '');
  // A wrong byte becomes a character of three bytes.
  return Buffer.byteLength(clean) <= excerptBytesMax
    ? clean
    : new TextDecoder().decode(Buffer.from(clean).subarray(0, excerptBytesMax), { stream: true });
}
