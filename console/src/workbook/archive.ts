import { Inflate } from 'fflate';
import { UnreadableFile } from '../files/file-limits.ts';
import { workbookTexts as texts } from '../texts/files.ts';

/** A file in a zip archive, whose format is in https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT. */
export interface ArchiveEntry {
  readonly name: string;
  readonly isEncrypted: boolean;
  readonly method: number;
  readonly checksum: number;
  readonly packedBytes: number;
  readonly unpackedBytes: number;
  readonly offset: number;
}

const directoryMark = 0x0201_4b50;
const stored = 0;
const deflated = 8;
const endBytes = 22;
const commentBytesMax = 0xffff;
/** A piece can unpack to a thousand times its size. */
const pieceBytes = 16 * 2 ** 10;

export function* readDirectory(bytes: Uint8Array<ArrayBuffer>): Generator<ArchiveEntry, undefined> {
  const view = viewOf(bytes);
  const directory = findDirectory(view);
  const decoder = new TextDecoder();
  let place = directory.offset;
  for (let index = 0; index < directory.count; index += 1) {
    expectMark(view, place, directoryMark);
    const nameEnd = place + 46 + view.getUint16(place + 28, true);
    const extraEnd = nameEnd + view.getUint16(place + 30, true);
    const read = readerOfSizes(view, place, wideNumbers(view, nameEnd, extraEnd));
    yield {
      name: decoder.decode(bytes.subarray(place + 46, nameEnd)),
      isEncrypted: (view.getUint16(place + 8, true) & 1) === 1,
      method: view.getUint16(place + 10, true),
      checksum: view.getUint32(place + 16, true),
      unpackedBytes: read(24),
      packedBytes: read(20),
      offset: read(42),
    };
    place = extraEnd + view.getUint16(place + 32, true);
  }
  return undefined;
}

/** Unpacks a file in pieces. Throws if it is not what the directory says. */
export function unpack(
  bytes: Uint8Array<ArrayBuffer>,
  { isEncrypted, method, checksum, packedBytes, unpackedBytes, offset }: ArchiveEntry,
  write: (piece: Uint8Array) => void,
): void {
  if (isEncrypted || (method !== stored && method !== deflated)) throw damaged();
  const view = viewOf(bytes);
  expectMark(view, offset, 0x0403_4b50);
  const start = offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true);
  const packed = bytes.subarray(start, start + packedBytes);
  let length = 0;
  let sum = -1;
  const take = (piece: Uint8Array) => {
    length += piece.length;
    sum = addToChecksum(sum, piece);
    write(piece);
  };
  if (method === stored) take(packed);
  else {
    const inflate = new Inflate(take);
    for (let from = 0; from < packed.length; from += pieceBytes) {
      const to = from + pieceBytes;
      inflate.push(packed.subarray(from, to), to >= packed.length);
    }
  }
  if (length !== unpackedBytes || ~sum >>> 0 !== checksum) throw damaged();
}

/** Archives with many or large files have the numbers of their directory in a record of 64 bits. */
function findDirectory(view: DataView): { readonly count: number; readonly offset: number } {
  const end = findEnd(view);
  const locator = end - 20;
  if (locator >= 0 && view.getUint32(locator, true) === 0x0706_4b50) {
    const record = wideNumber(view, locator + 8);
    expectMark(view, record, 0x0606_4b50);
    return { count: wideNumber(view, record + 32), offset: wideNumber(view, record + 48) };
  }
  const offset = view.getUint32(end + 16, true);
  const isThere = offset < end && view.getUint32(offset, true) === directoryMark;
  return {
    count: view.getUint16(end + 10, true),
    // Some programs that changed an archive left its old place there.
    offset: isThere ? offset : end - view.getUint32(end + 12, true),
  };
}

/** The record at the end of the archive, which a comment can follow. */
function findEnd(view: DataView): number {
  const last = view.byteLength - endBytes;
  for (let place = last; place >= Math.max(0, last - commentBytesMax); place -= 1) {
    if (view.getUint32(place, true) === 0x0605_4b50) return place;
  }
  throw damaged();
}

/** Returns what reads the sizes of an entry. The largest number means that the next one of 64 bits counts. */
function readerOfSizes(view: DataView, place: number, wide: number[]): (at: number) => number {
  return (at) => {
    const number = view.getUint32(place + at, true);
    return number === 0xffff_ffff ? (wide.shift() ?? number) : number;
  };
}

/** The numbers of 64 bits among the extra fields of an entry. */
function wideNumbers(view: DataView, from: number, to: number): number[] {
  for (let field = from; field + 4 <= to; field += 4 + view.getUint16(field + 2, true)) {
    if (view.getUint16(field, true) !== 1) continue;
    const count = view.getUint16(field + 2, true) >> 3;
    return Array.from({ length: count }, (_none, index) => wideNumber(view, field + 4 + index * 8));
  }
  return [];
}

function wideNumber(view: DataView, place: number): number {
  return Number(view.getBigUint64(place, true));
}

function expectMark(view: DataView, place: number, mark: number): void {
  if (view.getUint32(place, true) !== mark) throw damaged();
}

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array<ArrayBuffer>) =>
  new DataView(buffer, byteOffset, byteLength);

const damaged = () => new UnreadableFile(texts.damaged);

const checksums = Int32Array.from({ length: 256 }, (_none, byte) => {
  let sum = byte;
  for (let bit = 0; bit < 8; bit += 1) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb8_8320 : 0);
  return sum;
});

/** CRC-32 without its last step. */
function addToChecksum(sum: number, piece: Uint8Array): number {
  let result = sum;
  for (let index = 0; index < piece.length; index += 1) {
    result = (result >>> 8) ^ (checksums[(result ^ (piece[index] ?? 0)) & 0xff] ?? 0);
  }
  return result;
}
