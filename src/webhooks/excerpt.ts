import type { IncomingHttpHeaders } from 'node:http';

const excerptBytesMax = 4096;

/** Collects the beginning of a response body as text. */
export function createExcerpt() {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let decoder: TextDecoder | undefined = new TextDecoder();
  return {
    /** The response says how its body is written. A body that is compressed in spite of the request is not shown. */
    setForm(headers: Pick<IncomingHttpHeaders, 'content-type' | 'content-encoding'>): void {
      const coding = headers['content-encoding'] ?? '';
      decoder = /^(?:identity)?$/i.test(coding.trim())
        ? decoderOf(headers['content-type'] ?? '')
        : undefined;
    },
    add(chunk: Buffer): void {
      // A copy, because a part would keep the whole buffer in memory.
      const part = Buffer.from(chunk.subarray(0, excerptBytesMax - bytes));
      if (part.length > 0) chunks.push(part);
      bytes += part.length;
    },
    /** Undefined if the body is empty. */
    read: (): string | undefined =>
      (decoder && toText(decoder, Buffer.concat(chunks))) || undefined,
  };
}

/** Of the `charset` of a media type. UTF-8 without one, or with one that nothing here knows. */
function decoderOf(mediaType: string): TextDecoder {
  const [, label] = /;[ \t]*charset="?([\w.:-]{1,40})/i.exec(mediaType) ?? [];
  try {
    return new TextDecoder(label as 'utf-8' | undefined);
  } catch {
    return new TextDecoder();
  }
}

/** Valid text without control characters, except line feeds, and without those that change the direction of text or end lines. */
function toText(decoder: TextDecoder, bytes: Buffer): string {
  // With `stream`, a character that is cut at the end is left out.
  const text = decoder.decode(bytes, { stream: true });
  const clean = text
    .replaceAll(/\r\n?/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll(/(?!\n)[\p{Cc}\p{Bidi_Control}\u2028\u2029]/gu, '');
  // A wrong byte becomes a character of three bytes.
  return Buffer.byteLength(clean) <= excerptBytesMax
    ? clean
    : new TextDecoder().decode(Buffer.from(clean).subarray(0, excerptBytesMax), { stream: true });
}
