import { describe, expect, test } from 'bun:test';
import { request } from 'node:http';
import { networkInterfaces, platform } from 'node:os';
import { createJudgeTarget, type Resolve, type Target } from '../src/webhooks/target.ts';
import { createCheckTarget } from '../src/webhooks/target-check.ts';
import {
  allow,
  attempt,
  attemptInProcess,
  event,
  openEndpoint,
  outcomeOf,
  resolveTo,
  respond,
  secret,
} from './support/webhook-endpoint.ts';

const hasIpv6 = Object.values(networkInterfaces()).some((addresses = []) =>
  addresses.some(({ family }) => family === 'IPv6'),
);

/** Connections to every address of this machine. */
const everywhere = { hostname: hasIpv6 ? '::' : '0.0.0.0' };

// Other systems have no loopback addresses besides 127.0.0.1 and ::1.
const leftOut = platform() === 'linux' ? '' : ', left out: needs Linux';

const refused = { error: 'refused_target' } as const;

/** Resolves names of this machine, and no others: no test uses the network. */
const resolveLocally = (name: string) =>
  /^localhost\.?$/.test(name)
    ? Promise.resolve(['127.0.0.1'])
    : Promise.reject(new Error(`${name} does not exist`));

/** Hosts that connect to this machine on Linux, without a check. */
const loopbackHosts = [
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'ｌｏｃａｌｈｏｓｔ',
  'lo%63alhost',
  'lo\u00adcalhost',
  '127.0.0.1',
  '127.0.0.1.',
  '127.0.0.2',
  '127.255.255.254',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0X7F000001',
  '017700000001',
  '0x7f.0.0.1',
  '0x7f.0x0.0x0.0x1',
  '0177.0.0.1',
  '00000000177.0.0.01',
  '0177.0.0x1',
  '0x7f.1',
  '127.0x.1',
  '127.000.000.001',
  '１２７.０.０.１',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '127．0．0．1',
  '127｡0｡0｡1',
  '%31%32%37.%30.0.1',
  '127%2E0%2E0%2E1',
  '%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1',
  '0',
  '0.0.0.0',
  '00.0',
  '0x0',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[0000:0000:0000:0000:0000:0000:0000:0001]',
  '[::0001]',
  '[0::1]',
  '[::0.0.0.1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::FFFF:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:7f00:0001]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:0.0.0.0]',
];

/** Hosts of other machines that only an inner network reaches, or of no machine. */
const innerHosts = [
  '10.0.0.1',
  '10.1',
  '167772161',
  '0xa.0.0.1',
  '100.64.0.1',
  '172.16.0.1',
  '192.168.0.1',
  '192.168.1',
  '0300.0250.0.1',
  '169.254.169.254',
  '169.254.169.254.',
  '2852039166',
  '0xA9FEA9FE',
  '0251.0376.0251.0376',
  '169.16689662',
  '１６９.２５４.１６９.２５４',
  '168.63.129.16',
  '100.100.100.200',
  '224.0.0.1',
  '255.255.255.255',
  '[::127.0.0.1]',
  '[::7f00:1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::127.0.0.1]',
  '[2002:7f00:1::]',
  '[2002:a9fe:a9fe::1]',
  '[2001:0:5ef5:79fd:0:59f:a05d:9c2c]',
  '[::ffff:169.254.169.254]',
  '[fd00:ec2::254]',
  '[fc00::1]',
  '[fe80::1]',
  '[fe80::a9fe:a9fe]',
  '[fec0::1]',
  '[ff02::1]',
  '[2001:db8::1]',
  'internal.example',
];

/** Not the URL of any host, or with parts that a webhook must not have. */
const wrongHosts = [
  '[::1%lo]',
  '[::1%25lo]',
  '[fe80::1%25eth0]',
  '[::1',
  '::1',
  '[::ffff:127.1]',
  '127.0.0.1%00',
  '127.0.0.1%00.shop.example',
  '127.0.0.1%0d%0a',
  '127.0.0.1\\',
  'shop.example\\@127.0.0.1',
  'shop.example@127.0.0.1',
  'shop.example:secret@127.0.0.1',
  'shop.example:443@localhost',
  ' 127.0.0.1',
  '127.0.0.1 ',
  '127.0.0.1\t',
  'local\nhost',
  '256.256.256.256',
  '0x100000001',
  '1.2.3.4.5',
  'localhost:65536',
  'localhost:-1',
];

describe.skipIf(leftOut !== '')(`an address that only the server reaches${leftOut}`, () => {
  test('would be called in each of these spellings if nothing refused it', async () => {
    await using endpoint = await openEndpoint(respond('HTTP/1.1 200 OK'), everywhere);
    const missed: string[] = [];
    for (const host of loopbackHosts) {
      if (host.startsWith('[') && !hasIpv6) continue;
      const before = endpoint.connections;
      const url = new URL(`http://${host}:${endpoint.port}/`);
      const name = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
      await new Promise((resolve) => {
        request({ host: name, port: url.port, agent: false }, resolve)
          .on('error', resolve)
          .end('}');
      });
      if (endpoint.connections === before) missed.push(host);
    }
    expect(missed).toEqual([]);
  });

  test('is refused in every spelling, by https and http, without a connection', async () => {
    await using endpoint = await openEndpoint(respond('HTTP/1.1 200 OK'), everywhere);
    const { port } = endpoint;
    // With a permitted network, URLs with http are judged too.
    const options = { allowed: allow('10.9.9.0/24', '127.0.0.9'), resolve: resolveLocally };
    const called: string[] = [];
    expect(loopbackHosts.length + innerHosts.length + wrongHosts.length).toBeGreaterThan(100);
    for (const host of [...loopbackHosts, ...innerHosts, ...wrongHosts]) {
      for (const scheme of ['https', 'http', 'HTTPS']) {
        const outcome = await outcomeOf(attempt(`${scheme}://${host}:${port}/`, options));
        if (JSON.stringify(outcome) !== JSON.stringify(refused)) called.push(`${scheme} ${host}`);
      }
    }
    expect(called).toEqual([]);
    expect(endpoint.connections).toBe(0);
  });

  test('is refused if it is one of several addresses of a name, also if the others are permitted', async () => {
    await using endpoint = await openEndpoint(respond('HTTP/1.1 200 OK'), everywhere);
    const url = `http://shop.example:${endpoint.port}/`;
    for (const addresses of [
      ['127.0.0.9', '127.0.0.1'],
      ['127.0.0.1', '127.0.0.9'],
      ['127.0.0.9', '127.0.0.9', '::1'],
    ]) {
      const options = { allowed: allow('127.0.0.9'), resolve: resolveTo(...addresses) };
      expect(await outcomeOf(attempt(url, options))).toEqual(refused);
    }
    expect(endpoint.connections).toBe(0);
  });

  test('is refused at the attempt if the name had a public address at registration', async () => {
    await using endpoint = await openEndpoint(respond('HTTP/1.1 200 OK'));
    const url = `https://shop.example:${endpoint.port}/`;
    const answers = [['198.35.26.96'], ['127.0.0.1']];
    const resolve = () => Promise.resolve(answers.shift() ?? []);
    const judgeTarget = createJudgeTarget({ allowed: [], resolve });
    expect(await judgeTarget(url)).toMatchObject({ addresses: ['198.35.26.96'] });
    expect(await outcomeOf(attempt(url, { judgeTarget }))).toEqual(refused);
    expect([endpoint.connections, answers]).toEqual([0, []]);
  });

  test('is not called if the name gets it after the check of the attempt', async () => {
    await using endpoint = await openEndpoint(respond('HTTP/1.1 204 No Content'));
    const { port } = endpoint;
    await using trap = await openEndpoint(respond('HTTP/1.1 200 OK'), {
      hostname: '127.0.0.2',
      port,
    });
    const answers = [['127.0.0.1'], ['127.0.0.2']];
    const resolve = () => Promise.resolve(answers.shift() ?? []);
    // The system resolves this name to 127.0.0.1, and these addresses are others.
    const url = `http://localhost:${port}/`;
    const options = { allowed: allow('127.0.0.1', '127.0.0.3'), resolve };
    expect(await outcomeOf(attempt(url, options))).toMatchObject({ httpStatus: 204 });
    expect(await outcomeOf(attempt(url, options))).toEqual(refused);
    const elsewhere = { ...options, resolve: resolveTo('127.0.0.3') };
    expect(await outcomeOf(attempt(url, elsewhere))).toEqual({ error: 'connection_failed' });
    expect([endpoint.connections, trap.connections]).toEqual([1, 0]);
  });

  test.each([301, 302, 303, 307, 308])(
    'is not called after a redirect with status %d',
    async (status) => {
      await using trap = await openEndpoint(respond('HTTP/1.1 200 OK'));
      await using endpoint = await openEndpoint(
        respond(`HTTP/1.1 ${status} Moved\nLocation: http://127.0.0.1:${trap.port}/`, 'Moved'),
      );
      expect(await outcomeOf(attempt(`http://shop.example:${endpoint.port}/`))).toEqual({
        httpStatus: status,
        responseExcerpt: 'Moved',
      });
      expect(trap.connections).toBe(0);
    },
  );

  test('is not called as a proxy that the environment names', async () => {
    await using proxy = await openEndpoint((socket) => socket.end(), { atOnce: true });
    await using endpoint = await openEndpoint(respond('HTTP/1.1 200 OK'));
    await using withoutTls = await openEndpoint((socket) => socket.end('no TLS'), { atOnce: true });
    const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'];
    const variables = [...names, ...names.map((name) => name.toLowerCase())].map((name) => [
      name,
      `http://127.0.0.1:${proxy.port}`,
    ]);
    const outcomes = await attemptInProcess(
      [`http://shop.example:${endpoint.port}/`, `https://shop.example:${withoutTls.port}/`],
      { ...Object.fromEntries(variables), NO_PROXY: '', no_proxy: '', NODE_USE_ENV_PROXY: '1' },
    );
    expect(outcomes).toEqual([{ httpStatus: 200 }, { error: 'tls_failed' }]);
    expect([endpoint, withoutTls, proxy].map(({ connections }) => connections)).toEqual([1, 1, 0]);
  });
});

describe('the URL of a webhook', () => {
  const judgeTarget = createJudgeTarget({
    allowed: [],
    resolve: resolveTo('198.35.26.96', '2003::1'),
    readMachineAddresses: () => ['198.35.26.97'],
  });

  async function judge(url: string): Promise<string | Pick<Target, 'host' | 'port' | 'addresses'>> {
    const target = await judgeTarget(url);
    if (target.fault !== undefined) return target.fault;
    const { host, port, addresses } = target;
    return { host, port, addresses };
  }

  test('can have any path, query and public name, on port 443 or from 1024', async () => {
    const addresses = ['198.35.26.96', '2003::1'];
    const longest = `https://shop.example/${'a'.repeat(2048 - 'https://shop.example/'.length)}`;
    for (const [url, host, port] of [
      ['https://shop.example', 'shop.example', 443],
      ['https://shop.example:443/hooks?token=a%20b&c=@:#d', 'shop.example', 443],
      ['HTTPS://Shop.Example:1024/', 'shop.example', 1024],
      ['https://shop.example.:65535/', 'shop.example.', 65535],
      ['https://müller.example/', 'xn--mller-kva.example', 443],
      [longest, 'shop.example', 443],
    ] as const) {
      expect(await judge(url)).toEqual({ host, port, addresses });
    }
    expect(await judge('https://8.8.8.8/')).toEqual({
      host: '8.8.8.8',
      port: 443,
      addresses: ['8.8.8.8'],
    });
    expect(await judge('https://[2003::0:1]:8443/')).toEqual({
      host: '2003::1',
      port: 8443,
      addresses: ['2003::1'],
    });
  });

  test.each([
    '',
    'shop.example',
    '//shop.example/',
    'https:shop.example',
    'https:/shop.example',
    'https:\\\\shop.example',
    'https://',
    'https:///shop.example',
    'ftp://shop.example/',
    'file:///etc/passwd',
    'data:text/plain,a',
    'javascript:alert(1)',
    'unix:/var/run/docker.sock',
    'http://shop.example/',
    'http://8.8.8.8/',
    'https://user@shop.example/',
    'https://:secret@shop.example/',
    'https://user:secret@shop.example/',
    ' https://shop.example/',
    'https://shop.example/ ',
    'https://shop.example/a b',
    'https://shop.example/\n',
    'https://shop.example/\u0000',
    'https://shop.example/\u0085',
    'https://shop.example\\hooks',
    `https://shop.example/${'a'.repeat(2048)}`,
  ])('cannot be %j', async (url) => {
    expect(await judge(url)).toBe('invalid_url');
  });

  test.each([
    'https://shop.example:0/',
    'https://shop.example:22/',
    'https://shop.example:80/',
    'https://shop.example:442/',
    'https://shop.example:444/',
    'https://shop.example:1023/',
    'https://198.35.26.97/',
  ])('cannot have the port or address of %s', async (url) => {
    expect(await judge(url)).toBe('refused_target');
  });

  test('is refused alike if its name has an inner address, no address, or no answer', async () => {
    const judgeWith = (resolve: Resolve) =>
      createJudgeTarget({ allowed: [], resolve, resolveMillisecondsMax: 10 })('https://a.example/');
    const answers = await Promise.all([
      judgeWith(resolveTo('10.0.0.1')),
      judgeWith(resolveTo('198.35.26.96', '10.0.0.1')),
      judgeWith(resolveTo()),
      judgeWith(() => Promise.reject(new Error('ENOTFOUND'))),
      judgeWith(() => new Promise(() => {})),
    ]);
    for (const answer of answers) expect(answer).toEqual({ fault: 'refused_target' });
  });

  test('is checked at most ten times at once for a workspace and a hundred times for a server', async () => {
    const asked: AbortSignal[] = [];
    const never: Resolve = (_name, signal) => {
      asked.push(signal);
      return new Promise(() => {});
    };
    const check = createCheckTarget(createJudgeTarget({ allowed: [], resolve: never }));
    const end = new AbortController();
    const checkIn = (workspaceId: bigint) =>
      check('https://a.example/', { workspaceId, signal: end.signal });
    const running = Array.from({ length: 100 }, (_, index) => checkIn(BigInt(index) / 10n));
    const tooMany = { fault: 'too_many_checks' } as const;
    expect([await checkIn(0n), await checkIn(99n)]).toEqual([tooMany, tooMany]);
    expect([asked.length, asked.some(({ aborted }) => aborted)]).toEqual([100, false]);
    end.abort();
    const ended = await Promise.all(running);
    expect(new Set(ended.map(({ fault }) => fault))).toEqual(new Set(['refused_target']));
    expect(asked.every(({ aborted }) => aborted)).toBe(true);
    const later = check('https://8.8.8.8/', {
      workspaceId: 0n,
      signal: new AbortController().signal,
    });
    expect(await later).toEqual({ url: 'https://8.8.8.8/' });
  });

  test('is refused if the system does not say which addresses this machine has', async () => {
    const readMachineAddresses = () => undefined;
    const judgeTarget = createJudgeTarget({ allowed: [], readMachineAddresses });
    expect(await judgeTarget('https://8.8.8.8/')).toEqual({ fault: 'refused_target' });
  });

  test('is judged by the addresses of the system, unless a test has others', async () => {
    await using endpoint = await openEndpoint(respond('HTTP/1.1 200 OK'));
    const judgeOnSystem = createJudgeTarget({ allowed: allow('127.0.0.1', '::1') });
    const url = `http://localhost:${endpoint.port}/`;
    const target = await judgeOnSystem(url);
    expect(target).toMatchObject({ addresses: expect.arrayContaining(['127.0.0.1']) });
    expect(await createJudgeTarget({ allowed: [] })(`https://localhost:${endpoint.port}/`)).toEqual(
      {
        fault: 'refused_target',
      },
    );
  });

  test('can be http on a permitted address only', async () => {
    const options = { allowed: allow('10.0.0.1:3000') };
    const judgeFor = (...addresses: string[]) =>
      createJudgeTarget({ ...options, resolve: resolveTo(...addresses) });
    expect(await judgeFor('10.0.0.1')('http://a.example:3000/')).toMatchObject({ port: 3000 });
    for (const [addresses, url] of [
      [['10.0.0.1'], 'http://a.example:3001/'],
      [['10.0.0.1'], 'http://a.example/'],
      [['10.0.0.1', '198.35.26.96'], 'http://a.example:3000/'],
      [['198.35.26.96'], 'http://a.example:3000/'],
    ] as const) {
      expect(await judgeFor(...addresses)(url)).toEqual({ fault: 'refused_target' });
    }
    expect(await judgeFor('10.0.0.1', '198.35.26.96')('https://a.example:3000/')).toMatchObject({
      addresses: ['10.0.0.1', '198.35.26.96'],
    });
  });
});

test('a refused target is not recorded with its address or secret', async () => {
  const result = JSON.stringify(await attempt('https://10.11.12.13/', { allowed: [] }));
  for (const text of ['10.11.12.13', secret, event.body]) expect(result).not.toContain(text);
});
