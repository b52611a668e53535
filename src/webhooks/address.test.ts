import { describe, expect, test } from 'bun:test';
import { type AllowedTargets, parseAllowedTargets } from '../domain/webhook-target.ts';
import { judgeAddress } from './address.ts';

function allow(...texts: readonly string[]): AllowedTargets[] {
  return texts.map((text) => {
    const targets = parseAllowedTargets(text);
    if (targets === undefined) throw new Error(`${text} cannot be allowed`);
    return targets;
  });
}

function judge(
  address: string,
  allowed: readonly string[] = [],
  port = 443,
  machine: string[] = [],
) {
  return judgeAddress(address, port, { allowed: allow(...allowed), machine });
}

describe('the address of a webhook', () => {
  test.each([
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.88.98.255',
    '192.88.100.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '198.51.101.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '2000::',
    '2001:200::',
    '2001:db7:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:DB9::1',
    '2003::',
    '2606:2800:220:1:248:1893:25c8:1946',
    '3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff:1000::',
  ])('%s is public', (address) => {
    expect(judge(address)).toBe('public');
  });

  test.each([
    // The first and the last address of each range.
    '0.0.0.0',
    '0.255.255.255',
    '10.0.0.0',
    '10.255.255.255',
    '100.64.0.0',
    '100.127.255.255',
    '127.0.0.0',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.0.0',
    '169.254.255.255',
    '172.16.0.0',
    '172.31.255.255',
    '192.0.0.0',
    '192.0.0.255',
    '192.0.2.0',
    '192.0.2.255',
    '192.88.99.0',
    '192.88.99.255',
    '192.168.0.0',
    '192.168.255.255',
    '198.18.0.0',
    '198.19.255.255',
    '198.51.100.0',
    '198.51.100.255',
    '203.0.113.0',
    '203.0.113.255',
    '224.0.0.0',
    '239.255.255.255',
    '240.0.0.0',
    '255.255.255.255',
    '::',
    '::1',
    '0:0:0:0:0:0:0:1',
    '1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001::',
    '2001:0:5ef5:79fd:0:59f:a05d:9c2c', // Teredo
    '2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff',
    '2001:db8::',
    '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
    '2002::',
    '2002:7f00:1::', // 6to4 of 127.0.0.1
    '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
    '3fff::',
    '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff',
    '4000::',
    '5f00::1',
    '64:ff9b::7f00:1', // NAT64 of 127.0.0.1
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::7f00:1',
    '100::1',
    'fc00::1',
    'fd12:3456:789a::1',
    'fe80::1',
    'fec0::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::FFFF:8.8.8.8',
    '::ffff:0:127.0.0.1',
    '::127.0.0.1',
    '::8.8.8.8',
    // Services that give credentials to programs.
    '169.254.169.254',
    '169.254.170.2',
    '168.63.129.16',
    '100.100.100.200',
    '192.0.0.192',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fe80::a9fe:a9fe',
    // Spellings that are no plain address, also of public ones.
    '',
    '127.1',
    '8.8.8',
    '08.8.8.8',
    '0x8.8.8.8',
    '134744072',
    '8.8.8.8.',
    '8.8.8.8 ',
    '8.8.8.256',
    '8.8.8.8/32',
    '8.8.8.8:443',
    '８.8.8.8',
    '[2003::1]',
    '2003::1%eth0',
    'fe80::1%lo',
    '2003::1::',
    '2003:::1',
    '2003:1:2:3:4:5:6',
    '2003:1:2:3:4:5:6:7:8',
    '2003:1:2:3:4:5:6:7::8',
    '2003::12345',
    '2003::g',
    '8.8.8.8::',
    'shop.example',
  ])('%j is refused', (address) => {
    expect(judge(address)).toBeUndefined();
  });

  test('is refused if it is an address of this machine', () => {
    expect(judge('198.35.26.96', [], 443, ['127.0.0.1', '198.35.26.96'])).toBeUndefined();
    expect(judge('2003:0::1', [], 443, ['fe80::1', '2003::1'])).toBeUndefined();
    expect(judge('198.35.26.97', [], 443, ['198.35.26.96'])).toBe('public');
  });
});

describe('an exception that the operator sets', () => {
  test('permits its range, and nothing else', () => {
    expect(judge('10.1.2.3', ['10.1.0.0/16'])).toBe('permitted');
    expect(judge('10.2.0.0', ['10.1.0.0/16'])).toBeUndefined();
    expect(judge('fd12::1', ['fd12::/16'])).toBe('permitted');
    expect(judge('fd13::1', ['fd12::/16'])).toBeUndefined();
    expect(judge('127.0.0.1', ['::1', '127.0.0.1'])).toBe('permitted');
    expect(judge('127.0.0.2', ['::1', '127.0.0.1'])).toBeUndefined();
    expect(judge('198.35.26.96', ['198.35.26.96'], 443, ['198.35.26.96'])).toBe('permitted');
  });

  test('does not permit an IPv4 address that is written as IPv6', () => {
    expect(judge('::ffff:127.0.0.1', ['127.0.0.0/8'])).toBeUndefined();
    expect(judge('::ffff:127.0.0.1', ['0.0.0.0/0', '2000::/3'])).toBeUndefined();
    expect(judge('::1', ['0.0.0.1'])).toBeUndefined();
  });

  test('permits only its port, if it has one', () => {
    expect(judge('127.0.0.1', ['127.0.0.1:3000'], 3000)).toBe('permitted');
    expect(judge('127.0.0.1', ['127.0.0.1:3000'], 3001)).toBeUndefined();
    expect(judge('::1', ['[::1]:3000'], 3000)).toBe('permitted');
    expect(judge('::1', ['[::1]:3000'], 443)).toBeUndefined();
    expect(judge('127.0.0.1', ['127.0.0.1'], 1)).toBe('permitted');
  });

  test.each([
    ['169.254.169.254', '169.254.0.0/16'],
    ['169.254.169.254', '0.0.0.0/0'],
    ['169.254.1.1', '169.254.0.0/16'],
    ['168.63.129.16', '168.63.0.0/16'],
    ['100.100.100.200', '100.64.0.0/10'],
    ['192.0.0.192', '192.0.0.0/24'],
    ['fd00:ec2::254', 'fd00::/8'],
    ['fd20:ce::254', 'fd20:ce::/64'],
    ['fe80::a9fe:a9fe', '::/0'],
    ['fe80::1', 'fe80::/10'],
    ['fd00:42::42', 'fd00::/8'],
    ['fd00:c1::a9fe:a9fe', '::/0'],
    ['::ffff:169.254.169.254', '::ffff:0:0/96'],
    ['::ffff:100.100.100.200', '::/0'],
    ['::169.254.169.254', '::/96'],
    ['::ffff:0:a9fe:a9fe', '::/0'],
    ['64:ff9b::169.254.169.254', '64:ff9b::/96'],
    ['64:ff9b:1::a9fe:a9fe', '64:ff9b:1::/48'],
    ['2002:a9fe:a9fe::1', '2002::/16'],
    ['2001:0:a9fe:a9fe::1', '2001::/32'],
    ['2001::5601:5601', '2001::/32'],
  ])('permits the metadata service %s only by its exact address', (address, range) => {
    expect(judge(address, [range])).toBeUndefined();
    expect(judge(address, [address])).toBe('permitted');
  });

  test.each([
    '127.0.0.1',
    '127.0.0.1:1',
    '127.0.0.0/8',
    '10.0.0.0/8:65535',
    '0.0.0.0/0',
    '::1',
    '::1/128',
    '[::1]',
    '[::1]:3000',
    '[fd00::]/8:3000',
  ])('%s can be set', (text) => {
    expect(parseAllowedTargets(text)).toBeDefined();
  });

  test.each([
    '',
    'localhost',
    'localhost:3000',
    '*',
    '127.1',
    '127.0.0.1/33',
    '127.0.0.1/-1',
    '127.0.0.1/08',
    '127.0.0.1/',
    '127.0.0.1/8/8',
    '127.0.0.1:0',
    '127.0.0.1:65536',
    '127.0.0.1:',
    '127.0.0.1:http',
    '[127.0.0.1]:3000',
    '[::1]:0',
    '[::1',
    '[[::1]]',
    '::1/129',
    '[::1/128]:3000',
    '10.0.0.0/8 ',
  ])('%j cannot be set', (text) => {
    expect(parseAllowedTargets(text)).toBeUndefined();
  });
});
