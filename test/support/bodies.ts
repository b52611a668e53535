import fc, { type Arbitrary } from 'fast-check';
import type { PetChanges, PetStatus } from '../../src/domain/pet.ts';
import { int64, int64Max, invalid, mostly, seldom, status } from './input-arbitraries.ts';
import type { CallBody, Part } from './model.ts';

/** A member's value: its source text, which may be no JSON, and what it means. */
interface Member<Meaning> extends Part<Meaning> {
  readonly isJson: boolean;
}

function json<Meaning>(part: Arbitrary<Part<Meaning>>): Arbitrary<Member<Meaning>> {
  return part.map((member) => ({ ...member, isJson: true }));
}

function notJson(...texts: readonly string[]): Arbitrary<Member<never>> {
  return invalid(...texts).map((member) => ({ ...member, isJson: false }));
}

const cat = '\u{1f431}';

const nameText = mostly(
  fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom('a'.repeat(255), cat.repeat(255), '__proto__', '"\\', ' Rex ', '\u2028.'),
  ),
  fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.constantFrom('', ' ', '\u3000\u2028', 'a'.repeat(256), cat.repeat(256)),
    fc.constantFrom('\ud83d', 'a\u0000', '\u0085'),
  ),
);

export function isName(text: string): boolean {
  const { length } = [...text];
  const isPrintable = text.isWellFormed() && !/\p{Cc}/u.test(text) && /\S/u.test(text);
  return length >= 1 && length <= 255 && isPrintable;
}

/** As JSON, plainly or with every UTF-16 unit as an escape. */
function jsonString(text: string, escaped: boolean): string {
  if (!escaped) return JSON.stringify(text);
  const units = text.split('').map((unit) => unit.charCodeAt(0).toString(16).padStart(4, '0'));
  return `"${units.map((unit) => `\\u${unit}`).join('')}"`;
}

const name: Arbitrary<Member<string>> = mostly(
  fc.tuple(nameText, fc.boolean()).map(([text, escaped]) => ({
    text: jsonString(text, escaped),
    meaning: isName(text) ? text : undefined,
    isJson: true,
  })),
  fc.oneof(
    json(invalid('1', 'null', 'true', '[]', '{}', '["Rex"]')),
    notJson("'Rex'", 'Rex', '"\n"', String.raw`"\x41"`),
  ),
);

const tooLarge: Arbitrary<Part<never>> = fc
  .oneof(fc.bigInt(int64Max + 1n, 10n ** 40n), fc.bigInt(-(10n ** 40n), -int64Max - 2n))
  .map((value) => ({ text: String(value), meaning: undefined }));

const categoryId: Arbitrary<Member<bigint>> = mostly(
  fc.tuple(int64, fc.constantFrom('', '', '.0', 'e0', '.00E+0')).map(([value, suffix]) => ({
    text: `${value}${suffix}`,
    meaning: value,
    isJson: true,
  })),
  fc.oneof(
    json(tooLarge),
    json(invalid('1.5', '"1"', 'true', 'null', '[]', '{}', '1e400', '1e-400', '9'.repeat(9999))),
    notJson('+1', '01', '0x1', '\u0663', 'NaN', '1.', ''),
  ),
);

const bodyStatus: Arbitrary<Member<PetStatus>> = mostly(
  json(status.map(({ text, meaning }) => ({ text: JSON.stringify(text), meaning }))),
  json(invalid('null', '""', '"Sold"', '1', '["sold"]', '"__proto__"')),
);

const unknownName = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('id', 'Name', '__proto__', 'constructor'),
);

const unknownMember = fc
  .tuple(unknownName, fc.json({ maxDepth: 4 }))
  .filter(([key]) => !['name', 'categoryId', 'status'].includes(key));

/** An object of members in any order, where one may be missing, or be there twice. */
const objectBody: Arbitrary<CallBody> = fc
  .record({
    name: mostly(name, fc.constant(undefined)),
    categoryId: mostly(categoryId, fc.constant(undefined)),
    status: fc.option(bodyStatus, { nil: undefined }),
    unknown: fc.uniqueArray(unknownMember, { maxLength: 3, selector: ([key]) => key }),
    twice: seldom(fc.constantFrom('name', 'categoryId', 'status', 'x')),
    reverse: fc.boolean(),
    space: fc.constantFrom('', ' ', '\r\n\t'),
  })
  .map(({ unknown, twice, reverse, space, ...known }) => {
    const members: [string, string][] = [...unknown];
    for (const [key, member] of Object.entries(known)) {
      if (member !== undefined) members.push([key, member.text]);
    }
    if (twice !== undefined) members.push([twice, '1'], [twice, '1']);
    if (reverse) members.reverse();
    const texts = members.map(([key, text]) => `${JSON.stringify(key)}${space}:${space}${text}`);
    return {
      content: `${space}{${space}${texts.join(`${space},`)}${space}}${space}`,
      meaning: twice === undefined ? meaningOf(known) : 'invalid_json',
      unknownMembers: unknown.length > 0,
    };
  });

function meaningOf(known: {
  name: Member<string> | undefined;
  categoryId: Member<bigint> | undefined;
  status: Member<PetStatus> | undefined;
}): CallBody['meaning'] {
  const members = [known.name, known.categoryId, known.status];
  if (members.some((member) => member?.isJson === false)) return 'invalid_json';
  const petName = known.name?.meaning;
  const petCategoryId = known.categoryId?.meaning;
  const petStatus = known.status === undefined ? 'available' : known.status.meaning;
  return petName === undefined || petCategoryId === undefined || petStatus === undefined
    ? 'invalid_body'
    : { name: petName, categoryId: petCategoryId, status: petStatus };
}

/** Any JSON, any text, any bytes: nothing of it is an animal. */
const oddBody: Arbitrary<CallBody> = fc
  .oneof(
    fc.json(),
    fc.string({ unit: 'binary' }),
    fc.uint8Array().map((bytes) => new Uint8Array(bytes)),
    fc.constantFrom('', ' ', 'null', '[]', '{}', '"Rex"', '\ufeff{}', '{"a":1}x', '[1,]'),
  )
  .map((content) => ({
    content,
    meaning: isJsonText(content) ? 'invalid_body' : 'invalid_json',
    unknownMembers: false,
  }));

function isJsonText(content: string | Uint8Array): boolean {
  try {
    const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    JSON.parse(typeof content === 'string' ? content : decoder.decode(content));
    return true;
  } catch {
    return false;
  }
}

const longBody: Arbitrary<CallBody> = objectBody.map((body) => ({
  ...body,
  content: `${body.content}${' '.repeat(65537)}`,
  meaning: 'content_too_large',
}));

const patchMember = fc
  .tuple(unknownName, fc.json({ maxDepth: 4 }))
  .filter(([key]) => !['id', 'name', 'categoryId', 'status'].includes(key));

/** An object with some members, or none. */
const objectPatch: Arbitrary<CallBody<PetChanges>> = fc
  .record({
    name: fc.option(name, { nil: undefined }),
    categoryId: fc.option(categoryId, { nil: undefined }),
    status: fc.option(bodyStatus, { nil: undefined }),
    unknown: fc.uniqueArray(patchMember, { maxLength: 2, selector: ([key]) => key }),
  })
  .map(({ unknown, ...known }) => {
    const members = Object.entries(known).filter(([, member]) => member !== undefined);
    const texts = [...unknown, ...members.map(([key, member]) => [key, member?.text])].map(
      ([key, text]) => `${JSON.stringify(key)}:${text}`,
    );
    const changes = Object.fromEntries(members.map(([key, member]) => [key, member?.meaning]));
    const isInvalid =
      Object.values(changes).includes(undefined) || (members.length === 0 && unknown.length > 0);
    const isJson = members.every(([, member]) => member?.isJson !== false);
    return {
      content: `{${texts.join(',')}}`,
      meaning: isJson ? (isInvalid ? 'invalid_body' : (changes as PetChanges)) : 'invalid_json',
      unknownMembers: unknown.length > 0,
    };
  });

/** What is no animal may be a patch: `{}` and objects of unknown members are left to the other arbitrary. */
const oddPatch: Arbitrary<CallBody<PetChanges>> = oddBody
  .filter(({ content }) => !(typeof content === 'string' && content.trimStart().startsWith('{')))
  .map(({ content, meaning, unknownMembers }) => ({
    content,
    meaning: meaning === 'invalid_json' ? meaning : 'invalid_body',
    unknownMembers,
  }));

export const patchBody: Arbitrary<CallBody<PetChanges>> = mostly(objectPatch, oddPatch);

export const callBody: Arbitrary<CallBody> = mostly(mostly(objectBody, oddBody), longBody);
