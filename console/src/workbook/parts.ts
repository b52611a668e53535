import { UnreadableFile, unpackedBytesMax } from '../files/file-limits.ts';
import { workbookTexts as texts } from '../texts/files.ts';
import { type ArchiveEntry, readDirectory, unpack } from './archive.ts';
import { createXmlReader, type XmlHandlers } from './xml.ts';

/** The files in a workbook, which is a zip archive. Their names do not depend on case. */
export interface Parts {
  readonly has: (name: string) => boolean;
  readonly isAny: (pattern: RegExp) => boolean;
  /** Reads a part as XML. Returns false if the workbook does not have it. */
  readonly read: (name: string, handlers: XmlHandlers) => boolean;
}

/** Excel writes some ten parts, and one for each sheet. */
const partsMax = 10_000;
/** The parser reads an incomplete element again with each text, so texts are long. */
const textLength = 2 ** 20;

export function openParts(bytes: Uint8Array<ArrayBuffer>): Parts {
  const entries = new Map<string, ArchiveEntry>();
  let entryCount = 0;
  for (const entry of readDirectory(bytes)) {
    entryCount += 1;
    if (entryCount > partsMax) throw new UnreadableFile(texts.notWorkbook);
    entries.set(nameOf(entry.name), entry);
  }
  let unpackedBytes = 0;

  function read(name: string, handlers: XmlHandlers): boolean {
    const entry = entries.get(nameOf(name));
    if (entry === undefined) return false;
    const xml = createXmlReader(handlers);
    const decoder = new TextDecoder('utf-8', { fatal: true });
    let text = '';
    unpack(bytes, entry, (piece) => {
      // The sizes in the directory of the archive may be wrong.
      unpackedBytes += piece.length;
      if (unpackedBytes > unpackedBytesMax) throw new UnreadableFile(texts.unpacksTooLarge);
      text += decoder.decode(piece, { stream: true });
      if (text.length < textLength) return;
      xml.write(text);
      text = '';
    });
    xml.write(text + decoder.decode());
    xml.end();
    return true;
  }

  return {
    has: (name) => entries.has(nameOf(name)),
    isAny: (pattern) => [...entries.keys()].some((name) => pattern.test(name)),
    read,
  };
}

/** Some programs write the separators of Windows. */
function nameOf(path: string): string {
  return path.replaceAll('\\', '/').replace(/^\/+/, '').toLowerCase();
}
