import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** The unpacked size in the headers, if it is not the real one. */
  readonly declaredBytes?: number;
  /** The sizes follow the data, as programs write that do not know them before. */
  readonly hasDescriptor?: boolean;
}

const u16 = (...values: number[]) => new Uint8Array(new Uint16Array(values).buffer);
const u32 = (...values: number[]) => new Uint8Array(new Uint32Array(values).buffer);

/**
 * Makes a zip archive (https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT). Entries with the same content object share
 * their data if `overlaps`.
 */
export function makeZip(entries: readonly ZipEntry[], overlaps = false): Uint8Array<ArrayBuffer> {
  const chunks: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  const written = new Map<ZipEntry['content'], { offset: number; fields: Uint8Array }>();
  let offset = 0;
  const write = (...added: Uint8Array[]) => {
    chunks.push(...added);
    offset += added.reduce((sum, { length }) => sum + length, 0);
  };
  for (const { name, content, declaredBytes, hasDescriptor = false } of entries) {
    const nameBytes = Buffer.from(name);
    const bytes = Buffer.from(content);
    let place = overlaps ? written.get(content) : undefined;
    if (place === undefined) {
      const packed = deflateRawSync(bytes, { level: 1 });
      const sizes = u32(crc32(bytes), packed.length, declaredBytes ?? bytes.length);
      // Version 2.0, flags, deflated, midnight, 1 January 2000.
      const fixed = u16(20, hasDescriptor ? 8 : 0, 8, 0, 0x2821);
      place = { offset, fields: Buffer.concat([fixed, sizes]) };
      written.set(content, place);
      write(u32(0x04034b50), fixed, hasDescriptor ? u32(0, 0, 0) : sizes);
      write(u16(nameBytes.length, 0), nameBytes, packed);
      if (hasDescriptor) write(u32(0x08074b50), sizes);
    }
    directory.push(u32(0x02014b50), u16(20), place.fields, u16(nameBytes.length, 0, 0, 0, 0, 0, 0));
    directory.push(u32(place.offset), nameBytes);
  }
  const start = offset;
  write(...directory);
  const directoryBytes = offset - start;
  write(u32(0x06054b50), u16(0, 0, entries.length, entries.length), u32(directoryBytes, start));
  write(u16(0));
  return new Uint8Array(Buffer.concat(chunks));
}
