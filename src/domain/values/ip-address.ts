/** An address as a number of 32 or 128 bits. */
export interface IpAddress {
  readonly version: 4 | 6;
  readonly value: bigint;
}

/** All addresses that begin with the same bits. */
export interface IpRange {
  readonly version: 4 | 6;
  readonly start: bigint;
  readonly prefixBits: number;
}

/**
 * Reads the strict textual form of an address. Undefined for other forms that some programs accept: octal, hexadecimal or fewer
 * parts of IPv4, and IPv6 with a zone or in brackets.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  const version = text.includes(':') ? 6 : 4;
  const value = version === 6 ? parseIpv6(text) : parseIpv4(text);
  return value === undefined ? undefined : { version, value };
}

/** Reads `10.0.0.0/8`, or an address as the range that has only this address. */
export function parseIpRange(text: string): IpRange | undefined {
  const [first = '', bits, ...rest] = text.split('/');
  const address = parseIpAddress(first);
  if (address === undefined || rest.length > 0) return undefined;
  const { version, value } = address;
  const bitsMax = bitsOf(version);
  const prefixBits = bits === undefined ? bitsMax : parseDecimal(bits, bitsMax);
  return prefixBits === undefined ? undefined : { version, start: value, prefixBits };
}

export function isInRange(address: IpAddress, range: IpRange): boolean {
  if (address.version !== range.version) return false;
  const otherBits = BigInt(bitsOf(range.version) - range.prefixBits);
  return address.value >> otherBits === range.start >> otherBits;
}

/** Where IPv6 addresses have an IPv4 address: the bits to the right of it, and how it is encoded. */
const ipv4Places = (
  [
    ['::/96', 0n], // compatible
    ['::ffff:0:0/96', 0n], // mapped
    ['::ffff:0:0:0/96', 0n], // translated (SIIT)
    ['64:ff9b::/96', 0n], // NAT64
    ['64:ff9b:1::/48', 0n], // NAT64 of a network
    ['2002::/16', 80n], // 6to4
    ['2001::/32', 64n], // the server of Teredo
    ['2001::/32', 0n, 0xffff_ffffn], // the client of Teredo
  ] as const
).map(([text, rightBits, mask = 0n]) => ({ range: parseIpRange(text), rightBits, mask }));

/** The IPv4 addresses that a network can take out of an IPv6 address. */
export function ipv4Inside(address: IpAddress): readonly IpAddress[] {
  return ipv4Places
    .filter(({ range }) => range !== undefined && isInRange(address, range))
    .map(({ rightBits, mask }) => ({
      version: 4,
      value: ((address.value >> rightBits) & 0xffff_ffffn) ^ mask,
    }));
}

/** Whether a range has only one address. */
export function isOneAddress({ version, prefixBits }: IpRange): boolean {
  return prefixBits === bitsOf(version);
}

function bitsOf(version: 4 | 6): number {
  return version === 4 ? 32 : 128;
}

/** Without a leading zero, which some programs read as octal. */
function parseDecimal(text: string, max: number): number | undefined {
  const value = /^(?:0|[1-9][0-9]{0,2})$/.test(text) ? Number(text) : Number.NaN;
  return value <= max ? value : undefined;
}

function parseIpv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length !== 4) return undefined;
  let value = 0n;
  for (const part of parts) {
    const byte = parseDecimal(part, 255);
    if (byte === undefined) return undefined;
    value = (value << 8n) | BigInt(byte);
  }
  return value;
}

function parseIpv6(text: string): bigint | undefined {
  // The last two groups can be written as IPv4.
  const [ending = ''] = /[^:]*\.[^:]*$/.exec(text) ?? [];
  const ipv4 = ending === '' ? 0n : parseIpv4(ending);
  if (ipv4 === undefined) return undefined;
  const asGroups = `${(ipv4 >> 16n).toString(16)}:${(ipv4 & 0xffffn).toString(16)}`;
  const plain = ending === '' ? text : text.slice(0, -ending.length) + asGroups;
  const halves = plain.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [first = [], last = []] = halves;
  const missing = 8 - first.length - last.length;
  // `::` replaces at least one group.
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
  const groups = [...first, ...Array<string>(missing).fill('0'), ...last];
  if (!groups.every((group) => /^[0-9A-Fa-f]{1,4}$/.test(group))) return undefined;
  return BigInt(`0x${groups.map((group) => group.padStart(4, '0')).join('')}`);
}
