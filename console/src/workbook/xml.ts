import { Parser } from 'saxen';
import { UnreadableFile } from '../files/file-limits.ts';
import { workbookTexts as texts } from '../texts/files.ts';

export interface XmlElement {
  /** Without its prefix: some programs write `x:row`, others `row`. */
  readonly name: string;
  /** The name of the element around it, or '' for the root. */
  readonly parent: string;
  readonly attribute: (name: string) => string | undefined;
}

/** What reads a document. It gets the elements and texts in their order. */
export interface XmlHandlers {
  readonly open: (element: XmlElement) => void;
  readonly text?: (text: string) => void;
  readonly close?: (name: string) => void;
}

interface XmlReader {
  readonly write: (text: string) => void;
  readonly end: () => void;
}

/** Cells have up to 32 767 characters. The parser reads a long tag, and a text before its end, again with each piece. */
const tokenLengthMax = 4 * 2 ** 20;

/** Reads a document in pieces. A fault in it throws. */
export function createXmlReader(handlers: XmlHandlers): XmlReader {
  const path: string[] = [];
  const parser = new Parser();
  let lengthSinceToken = 0;
  parser.on('openTag', (prefixed, attributes) => {
    lengthSinceToken = 0;
    const name = localName(prefixed);
    handlers.open({
      name,
      parent: path.at(-1) ?? '',
      attribute: (wanted) => findAttribute(attributes(), wanted),
    });
    path.push(name);
  });
  parser.on('closeTag', (prefixed) => {
    lengthSinceToken = 0;
    path.pop();
    handlers.close?.(localName(prefixed));
  });
  parser.on('text', (text) => handlers.text?.(decode(text)));
  parser.on('cdata', (text) => handlers.text?.(text));
  // A workbook has no document type. One could define entities that expand to gigabytes.
  parser.on('attention', () => {
    throw new UnreadableFile(texts.damaged);
  });
  parser.on('error', () => {
    throw new UnreadableFile(texts.damaged);
  });
  return {
    write(text) {
      lengthSinceToken += text.length;
      if (lengthSinceToken > tokenLengthMax) throw new UnreadableFile(texts.damaged);
      parser.write(text);
    },
    end: () => void parser.end(),
  };
}

function localName(prefixed: string): string {
  return prefixed.slice(prefixed.indexOf(':') + 1);
}

function findAttribute(
  attributes: Readonly<Record<string, string>>,
  name: string,
): string | undefined {
  const found =
    attributes[name] ??
    Object.entries(attributes).find(([prefixed]) => prefixed.endsWith(`:${name}`))?.[1];
  return found === undefined ? undefined : decode(found);
}

const predefined: ReadonlyMap<string, string> = new Map([
  ['amp', '&'],
  ['apos', "'"],
  ['gt', '>'],
  ['lt', '<'],
  ['quot', '"'],
]);

/** The parser decodes no characters above U+FFFF. */
function decode(text: string): string {
  if (!text.includes('&') && !text.includes('\r')) return text;
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/&(?:#x([\da-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name) => {
      if (name !== undefined) return predefined.get(name) ?? whole;
      const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
      return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
    });
}

/** Reads an attribute of the type `xsd:boolean`. */
export function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}
