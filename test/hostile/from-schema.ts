import fc, { type Arbitrary } from 'fast-check';
import { resolveSchema, type Schema } from '../support/published-document.ts';

const int64Max = 2n ** 63n - 1n;

/** JSON texts that a schema allows. */
export function validJson(schema: Schema): Arbitrary<string> {
  const { type, oneOf, properties = {}, required = [], ...resolved } = resolveSchema(schema);
  if (oneOf !== undefined) return fc.oneof(...oneOf.map(validJson));
  if (Array.isArray(type))
    return fc.oneof(...type.map((one) => validJson({ ...schema, type: one })));
  if (type === 'null') return fc.constant('null');
  if (type === 'integer') {
    // JSON Schema counts these as integers too.
    const suffix = fc.constantFrom('', '', '', '.0', 'e0', '.00E+0');
    return fc.tuple(integer(resolved), suffix).map(([value, more]) => `${value}${more}`);
  }
  if (type === 'boolean') return fc.constantFrom('true', 'false');
  if (type === 'string') return string(resolved).map((text) => JSON.stringify(text));
  if (type === 'array') return validArray(resolved);
  if (type !== 'object') throw new Error(`No texts are made for the type ${type}`);
  const members = Object.entries(properties).map(([name, member]) => {
    const written = validJson(member).map((text) => `${JSON.stringify(name)}:${text}`);
    return required.includes(name) ? written : fc.option(written, { nil: undefined });
  });
  return joined(fc.tuple(...members, fc.option(unknownMember(properties), { nil: undefined })));
}

function validArray({ items = {}, minItems = 0, maxItems = 20 }: Schema): Arbitrary<string> {
  const lengths = { minLength: minItems, maxLength: Math.min(maxItems, minItems + 5) };
  return fc.uniqueArray(validJson(items), lengths).map((texts) => `[${texts.join(',')}]`);
}

/** JSON texts that a schema does not allow. */
export function invalidJson(schema: Schema): Arbitrary<string> {
  const { type, oneOf, properties = {}, required = [], ...resolved } = resolveSchema(schema);
  if (oneOf !== undefined) return fc.constantFrom('null', 'true', '[]', '{}', '1.5', '""');
  if (Array.isArray(type)) {
    const [main] = type;
    return invalidJson({ ...schema, type: main }).filter((text) => text !== 'null');
  }
  if (type === 'boolean') return fc.constantFrom('null', '0', '1', '"true"', '[]', '{}');
  const otherTypes = fc.constantFrom('null', 'true', '[]', '[1]', '["available"]');
  if (type === 'integer') {
    return fc.oneof(
      invalidInteger(resolved),
      fc.tuple(integer(resolved), fc.integer({ min: 1, max: 9 })).map(([value, tenth]) => {
        return `${value}.${tenth}`;
      }),
      fc.constantFrom('{}', '"1"', '""', '1e400', '1e-1'),
      otherTypes,
    );
  }
  if (type === 'string') {
    const wrong = invalidString(resolved).map((text) => JSON.stringify(text));
    return fc.oneof(wrong, fc.constantFrom('{}', '1', '0', '-1.5'), otherTypes);
  }
  if (type === 'array') return fc.constantFrom('[]', '[1]', '["x"]', '[null]', '{}', '1', '"x"');
  if (type !== 'object') throw new Error(`No texts are made for the type ${type}`);
  const names = Object.keys(properties);
  const onePart = fc.constantFrom(...names).chain((wrong) =>
    fc.boolean().chain((isLeftOut) => {
      const members = names.map((name) => {
        const member = properties[name] ?? {};
        if (name !== wrong)
          return validJson(member).map((text) => `${JSON.stringify(name)}:${text}`);
        if (isLeftOut && required.includes(name)) return fc.constant(undefined);
        return invalidJson(member).map((text) => `${JSON.stringify(name)}:${text}`);
      });
      return joined(fc.tuple(...members));
    }),
  );
  return fc.oneof(
    { weight: 9, arbitrary: onePart },
    { weight: 1, arbitrary: fc.oneof(otherTypes, fc.constantFrom('1', '""', '"x"')) },
  );
}

/** Values of a URL parameter that a schema allows. An array has several. */
export function validTexts(schema: Schema): Arbitrary<string[]> {
  const { type, items, maxItems = 20, ...resolved } = resolveSchema(schema);
  if (type === 'array' && items !== undefined) {
    const one = validTexts(items).map((texts) => texts.join(','));
    return fc.oneof(
      { weight: 9, arbitrary: fc.array(one, { minLength: 1, maxLength: 5 }) },
      { weight: 1, arbitrary: fc.array(one, { minLength: maxItems - 1, maxLength: maxItems }) },
    );
  }
  const value: Arbitrary<bigint | string> =
    type === 'integer' ? integer(resolved) : string(resolved);
  return value.map((one) => [String(one)]);
}

/** Values of a URL parameter that a schema does not allow. */
export function invalidTexts(schema: Schema): Arbitrary<string[]> {
  const { type, items, maxItems, ...resolved } = resolveSchema(schema);
  if (type === 'array' && items !== undefined) {
    const many = validTexts(items).map((texts) => texts.join(','));
    const tooMany = { minLength: (maxItems ?? 0) + 1, maxLength: (maxItems ?? 0) + 5 };
    const oneWrong = fc
      .tuple(fc.array(many, { maxLength: 5 }), invalidTexts(items))
      .map(([right, wrong]) => [...right, ...wrong]);
    return fc.oneof(
      { weight: 9, arbitrary: oneWrong },
      ...(maxItems === undefined ? [] : [{ weight: 1, arbitrary: fc.array(many, tooMany) }]),
    );
  }
  const words = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom('', ' 1', '1 ', '+1', '01', '1.0', '1e0', '0x1', '-', '--1', '\u0661', 'NaN'),
  );
  const wrong =
    type === 'integer'
      ? fc.oneof(
          invalidInteger(resolved),
          words.filter((text) => !/^-?[0-9]+$/.test(text) || /^-?0./.test(text)),
        )
      : invalidString(resolved);
  return wrong.map((text) => [text]);
}

function integer({ minimum, maximum }: Schema): Arbitrary<bigint> {
  const min = minimum === undefined ? -int64Max - 1n : BigInt(minimum);
  const max = maximum === undefined ? int64Max : BigInt(maximum);
  const small = fc.bigInt(min > 1n ? min : 1n, max < 100n ? max : 100n);
  return fc.oneof(small, fc.bigInt(min, max), fc.constantFrom(min, max));
}

function invalidInteger({ minimum, maximum }: Schema): Arbitrary<string> {
  const below = minimum === undefined ? -int64Max - 2n : BigInt(minimum) - 1n;
  const above = maximum === undefined ? int64Max + 1n : BigInt(maximum) + 1n;
  return fc
    .oneof(
      fc.constantFrom(below, above),
      fc.bigInt(above, above * 10n ** 20n),
      fc.bigInt(-(10n ** 40n), below),
    )
    .map(String);
}

const anyString = fc.oneof(
  fc.string({ unit: 'grapheme', size: 'medium' }),
  fc.string({ unit: 'binary', size: 'medium' }),
  fc.string({ unit: 'binary', maxLength: 300, size: 'max' }),
);

function string(schema: Schema): Arbitrary<string> {
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.format === 'date-time') return dateTime;
  if (schema.pattern?.includes('[Tt][Pp]')) return publicUrl;
  const { pattern } = schema;
  const matching = pattern === undefined ? [] : [fc.stringMatching(new RegExp(pattern, 'u'))];
  return fc.oneof(anyString, ...matching).filter((text) => allows(schema, text));
}

/** A pattern does not express which addresses may be called. */
const publicUrl = fc.constantFrom(
  'https://shop.example/hooks/animals',
  'HTTPS://shop.example:8443/?q=1',
);

/** Dates and times of RFC 3339, in several zones and with any number of digits of a second. */
const dateTime = fc
  .tuple(
    fc.date({ min: new Date('0002-01-01'), max: new Date('9998-12-31'), noInvalidDate: true }),
    fc.stringMatching(/^(?:\.[0-9]{1,20})?$/),
    fc.constantFrom('Z', 'z', '+00:00', '-00:00', '+14:00', '-23:59'),
    fc.constantFrom('T', 't'),
  )
  .map(([date, fraction, zone, separator]) => {
    const [day, time = ''] = date.toISOString().split('T');
    return `${day}${separator}${time.slice(0, 8)}${fraction}${zone}`;
  });

const noDateTimes = fc.constantFrom(
  '2026-02-30T00:00:00Z',
  '2026-01-01T00:00:60Z',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00Z',
  '2026-01-01T00:00:00+24:00',
  '2026-01-01',
  '9999-12-31T23:59:59-00:01',
  '1767225600000',
);

function invalidString(schema: Schema): Arbitrary<string> {
  if (schema.format === 'date-time') return fc.oneof(anyString, noDateTimes);
  const { maxLength } = schema;
  const tooLong =
    maxLength === undefined
      ? []
      : [fc.string({ minLength: maxLength + 1, maxLength: maxLength + 9 })];
  const odd = fc.oneof(
    anyString,
    fc.string({
      unit: fc.constantFrom('\0', '\n', '\x7f', '\x85', ' ', '\u3000', 'a'),
      maxLength: 9,
    }),
    ...tooLong,
    fc.constantFrom(
      '',
      ' ',
      ...(schema.enum ?? []).flatMap((text) => [text.toUpperCase(), ` ${text}`, `${text}s`]),
    ),
  );
  return odd.filter((text) => !allows(schema, text));
}

/** Lengths count code points, and patterns are Unicode patterns, as in JSON Schema. */
export function allows(
  { enum: allowed, minLength, maxLength, pattern }: Schema,
  text: string,
): boolean {
  if (allowed !== undefined) return allowed.includes(text);
  const { length } = [...text];
  if (length < (minLength ?? 0) || length > (maxLength ?? length)) return false;
  return pattern === undefined || new RegExp(pattern, 'u').test(text);
}

/** A member that the schema does not name. The service must ignore it. */
function unknownMember(properties: Record<string, Schema>): Arbitrary<string> {
  return fc
    .tuple(
      fc.string({ unit: 'grapheme' }).filter((name) => !Object.hasOwn(properties, name)),
      fc.json({ maxDepth: 3 }),
    )
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`);
}

/** The present members, in the order of the schema or reversed. */
function joined(members: Arbitrary<(string | undefined)[]>): Arbitrary<string> {
  return fc.tuple(members, fc.boolean()).map(([all, reverse]) => {
    const written = all.filter((member) => member !== undefined);
    return `{${(reverse ? written.toReversed() : written).join(',')}}`;
  });
}
