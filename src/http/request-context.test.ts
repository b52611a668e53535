import { expect, test } from 'bun:test';
import { BlockList } from 'node:net';
import { clientAddress } from './request-context.ts';

const trusted = new BlockList();
trusted.addSubnet('10.0.0.0', 8, 'ipv4');
trusted.addAddress('::1', 'ipv6');

function find(peer: string | undefined, forwardedFor: string | undefined, proxies = trusted) {
  const headers = forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor };
  const request = new Request('http://animals.test/', { headers });
  return clientAddress(
    request,
    { addressOf: () => peer, closeWhenIdle: () => new DisposableStack() },
    proxies,
  );
}

test('X-Forwarded-For is read only from trusted proxies', () => {
  expect(find('203.0.113.9', '198.51.100.1')).toBe('203.0.113.9');
  expect(find('10.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
  expect(find('::ffff:10.0.0.1', '198.51.100.1')).toBe('198.51.100.1');
  expect(find('::1', '2001:db8::7')).toBe('2001:db8::7');
  expect(find('10.0.0.1', '198.51.100.1', new BlockList())).toBe('10.0.0.1');
});

test('the last address that is not a trusted proxy is the caller, whichever addresses come before it', () => {
  expect(find('10.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.2')).toBe('198.51.100.1');
  expect(find('10.0.0.1', '10.9.9.9')).toBe('10.9.9.9');
});

test.each([
  ['198.51.100.1:49152', '198.51.100.1'],
  ['"198.51.100.1:80"', '198.51.100.1'],
  ['"198.51.100.1"', '198.51.100.1'],
  ['[2001:db8::1]:4711', '2001:db8::1'],
  ['[2001:db8::1]', '2001:db8::1'],
  ['"[2001:db8::1]:4711"', '2001:db8::1'],
  ['::ffff:198.51.100.1', '198.51.100.1'],
  ['[::ffff:198.51.100.1]:80', '198.51.100.1'],
  ['1.1.1.1, 198.51.100.1:80, 10.0.0.2:443', '198.51.100.1'],
])('X-Forwarded-For: %s names %s', (text, address) => {
  expect(find('10.0.0.1', text)).toBe(address);
});

test.each(['[198.51.100.1', '198.51.100.1:', '198.51.100.1:x', '[]:80', '2001:db8::1]:80'])(
  'X-Forwarded-For: %s names no address',
  (text) => {
    expect(find('10.0.0.1', text)).toBe('10.0.0.1');
  },
);

test('a text that is not an address is ignored', () => {
  expect(find('10.0.0.1', '198.51.100.1, unknown')).toBe('10.0.0.1');
  expect(find('10.0.0.1', '')).toBe('10.0.0.1');
  expect(find('10.0.0.1', undefined)).toBe('10.0.0.1');
  expect(find(undefined, '198.51.100.1')).toBeUndefined();
});
