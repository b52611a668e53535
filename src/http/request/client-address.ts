import { type BlockList, isIP } from 'node:net';
import type { Transport } from '../request-context.ts';

/**
 * Whose request it is, by address: that of the connection or, where that is a trusted proxy's, the last one in
 * `X-Forwarded-For` that is not. Whatever stands before it, the caller may have written.
 */
export function clientAddress(
  request: Request,
  transport: Transport,
  trustedProxies: BlockList | undefined,
): string | undefined {
  let address = unmapped(transport.addressOf(request));
  const forwarded = request.headers.get('x-forwarded-for')?.split(',') ?? [];
  while (address !== undefined && trustedProxies?.check(address, familyOf(address)) === true) {
    const next = unmapped(forwarded.pop()?.trim());
    if (next === undefined || isIP(next) === 0) break;
    address = next;
  }
  return address;
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}

/** An IPv4 address as a socket of IPv6 tells it (RFC 4291, section 2.5.5.2). */
function unmapped(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=[0-9.]+$)/i, '');
}
