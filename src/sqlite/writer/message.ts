// A message between threads as one text. Copying a text costs nothing, while the structured clone of a group costs more than its
// JSON.

/** The text of a value of plain data: `undefined` members are left out, and all numbers are finite. */
export type Message<Value> = string & { readonly value: Value };

/** The first character of an integer, and of a text that starts with it. */
const mark = '\u0001';
const markCode = mark.charCodeAt(0);

export function toMessage<Value>(value: Value): Message<Value> {
  return JSON.stringify(mapIntegers(value)) as Message<Value>;
}

export function readMessage<Value>(message: Message<Value>): Value {
  return restoreIntegers(JSON.parse(message)) as Value;
}

/** A copy with texts in place of integers, because JSON has no type for them. */
function mapIntegers(value: unknown): unknown {
  if (typeof value === 'bigint') return mark + value;
  if (typeof value === 'string') return isMarked(value) ? mark + value : value;
  if (Array.isArray(value)) return value.map(mapIntegers);
  if (!isRecord(value)) return value;
  const mapped: Record<string, unknown> = {};
  for (const name in value) mapped[name] = mapIntegers(value[name]);
  return mapped;
}

/** Changes the value itself, which is new. */
function restoreIntegers(value: unknown): unknown {
  if (typeof value === 'string') return isMarked(value) ? restoreText(value) : value;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      value[index] = restoreIntegers(value[index]);
    }
  } else if (isRecord(value)) {
    for (const name in value) {
      const member = value[name];
      // Most members are texts, and storing them again takes time.
      if (typeof member !== 'string' || isMarked(member)) value[name] = restoreIntegers(member);
    }
  }
  return value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isMarked(text: string): boolean {
  return text.charCodeAt(0) === markCode;
}

function restoreText(text: string): bigint | string {
  const rest = text.slice(1);
  return isMarked(rest) ? rest : BigInt(rest);
}
