import { crc32, deflateRawSync } from 'node:zlib';

export interface ZipEntry {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** The unpacked size in the headers, if it is not the real one. */
  readonly declaredBytes?: number;
  /** The sizes follow the data, as programs write that do not know them before. */
  readonly hasDescriptor?: boolean;
  /** The directory has the numbers in 64 bits. */
  readonly isWide?: boolean;
}

const u16 = (...values: number[]) => new Uint8Array(new Uint16Array(values).buffer);
const u32 = (...values: number[]) => new Uint8Array(new Uint32Array(values).buffer);
const u64 = (...values: number[]) => new Uint8Array(new BigUint64Array(values.map(BigInt)).buffer);

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
  for (const { name, content, declaredBytes, hasDescriptor = false, isWide = false } of entries) {
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
    const wide = isWide ? Buffer.concat([u16(1, 8), u64(place.offset)]) : new Uint8Array();
    directory.push(u32(0x02014b50), u16(20), place.fields);
    directory.push(u16(nameBytes.length, wide.length, 0, 0, 0, 0, 0));
    directory.push(u32(isWide ? 0xffff_ffff : place.offset), nameBytes, wide);
  }
  const start = offset;
  write(...directory);
  const directoryBytes = offset - start;
  if (entries.some(({ isWide }) => isWide)) {
    const record = offset;
    write(u32(0x06064b50), u64(44), u16(45, 45), u32(0, 0));
    write(u64(entries.length, entries.length, directoryBytes, start));
    write(u32(0x07064b50, 0), u64(record), u32(1), u32(0x06054b50), u16(0, 0, 0xffff, 0xffff));
    write(u32(0xffff_ffff, 0xffff_ffff));
  } else {
    write(u32(0x06054b50), u16(0, 0, entries.length, entries.length), u32(directoryBytes, start));
  }
  write(u16(0));
  return new Uint8Array(Buffer.concat(chunks));
}
