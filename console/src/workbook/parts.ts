import { ZipReader } from '@zip.js/zip.js/lib/zip-core-reader.js';
import { UnreadableFile, unpackedBytesMax } from '../files/file-limits.ts';
import { workbookTexts as texts } from '../texts/files.ts';
import { createXmlReader, type XmlHandlers } from './xml.ts';

/** The files in a workbook, which is a zip archive. Their names do not depend on case. */
export interface Parts {
  readonly has: (name: string) => boolean;
  readonly isAny: (pattern: RegExp) => boolean;
  /** Reads a part as XML. Returns false if the workbook does not have it. */
  readonly read: (name: string, handlers: XmlHandlers) => Promise<boolean>;
}

/** Excel writes some ten parts, and one for each sheet. */
const partsMax = 10_000;
/** The parser reads an incomplete element again with each piece, so pieces are large. */
const pieceLength = 2 ** 20;

export async function openParts(file: Blob): Promise<Parts> {
  const archive = new ZipReader(file.stream(), { useWebWorkers: false, checkCrc32: true });
  const entries = new Map<string, FileEntry>();
  let entryCount = 0;
  for await (const entry of archive.getEntriesGenerator()) {
    entryCount += 1;
    if (entryCount > partsMax) throw new UnreadableFile(texts.notWorkbook);
    if (!entry.directory) entries.set(nameOf(entry.filename), entry);
  }
  let unpackedBytes = 0;

  async function read(name: string, handlers: XmlHandlers): Promise<boolean> {
    const entry = entries.get(nameOf(name));
    if (entry === undefined) return false;
    const xml = createXmlReader(handlers);
    let decoder: TextDecoder | undefined;
    let piece = '';
    const unpacked = new WritableStream<Uint8Array>({
      write(bytes) {
        // The sizes in the directory of the archive may be wrong.
        unpackedBytes += bytes.length;
        if (unpackedBytes > unpackedBytesMax) throw new UnreadableFile(texts.unpacksTooLarge);
        decoder ??= new TextDecoder(encodingOf(bytes), { fatal: true });
        piece += decoder.decode(bytes, { stream: true });
        if (piece.length < pieceLength) return;
        xml.write(piece);
        piece = '';
      },
    });
    await entry.getData(unpacked);
    xml.write(piece + (decoder?.decode() ?? ''));
    xml.end();
    return true;
  }

  return {
    has: (name) => entries.has(nameOf(name)),
    isAny: (pattern) => [...entries.keys()].some((name) => pattern.test(name)),
    read,
  };
}

type Entry = Awaited<ReturnType<ZipReader<unknown>['getEntries']>>[number];
type FileEntry = Extract<Entry, { readonly directory: false }>;

/** Some programs write the separators of Windows. */
function nameOf(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}

function encodingOf([first, second]: Uint8Array): 'utf-8' | 'utf-16le' | 'utf-16be' {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}
