import { describe, expect, test } from 'bun:test';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  verifyWebhook,
  WebhookError,
  type WebhookHeaders,
  type WebhookOptions,
} from '../client/src/index.ts';
import { signMessage } from '../src/webhooks/signature.ts';
import { allow, attempt, event, secret as sentSecret } from './support/webhook-endpoint.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const previousSecret = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
const otherSecret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

const body =
  '{"id":"evt_1042_k3Jd9QxZ","sequence":9007199254740993,"type":"pet.updated","timestamp":"2026-11-21T13:33:05.123Z",' +
  '"actor":"key:3","data":{"id":7,"name":"Zoë \u{1f431}","categoryId":9223372036854775807,"status":"sold"},' +
  '"previous":{"status":"available"}}';
const message = { id: 'evt_1042_k3Jd9QxZ', timestampSeconds: 1_795_267_985, body };
const now = message.timestampSeconds * 1000;

type Verified = Parameters<typeof verifyWebhook>;

/** The code of the error for these headers, secrets and body, or `accepted`. */
async function verify(
  change: {
    readonly secret?: Verified[0];
    readonly headers?: WebhookHeaders;
    readonly rawBody?: Verified[2];
  } & WebhookOptions,
): Promise<string> {
  const { headers = { ...signMessage([secret], message) }, rawBody = body, ...options } = change;
  try {
    await verifyWebhook(change.secret ?? secret, headers, rawBody, { now, ...options });
    return 'accepted';
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    for (const text of [secret, previousSecret, otherSecret]) {
      expect(`${error.message} ${error.stack}`).not.toContain(text.slice(6, -1));
    }
    return error.code;
  }
}

describe('verifyWebhook', () => {
  test('returns the event with every digit, from text and from bytes', async () => {
    const bytes = new TextEncoder().encode(body);
    const inBuffer = Buffer.from(`--${body}--`).subarray(2, -2);
    for (const rawBody of [body, bytes, bytes.buffer, inBuffer]) {
      const received = await verifyWebhook(secret, { ...signMessage([secret], message) }, rawBody, {
        now,
      });
      expect(received).toMatchObject({
        id: 'evt_1042_k3Jd9QxZ',
        sequence: 9007199254740993n,
        type: 'pet.updated',
        data: { id: 7n, name: 'Zoë \u{1f431}', categoryId: 9223372036854775807n },
        previous: { status: 'available' },
      });
    }
  });

  test('accepts the headers of fetch and of Node.js, with names in any case', async () => {
    const headers = { ...signMessage([secret], message) };
    const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]);
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
    for (const form of [
      headers,
      new Headers(headers),
      new Request('https://shop.example/', { headers }).headers,
      Object.fromEntries(upper),
      Object.fromEntries(lists),
    ]) {
      expect(await verify({ headers: form })).toBe('accepted');
    }
  });

  test('accepts a delivery with several signatures if one of them is right', async () => {
    const both = signMessage([secret, previousSecret], message);
    expect(await verify({ headers: { ...both } })).toBe('accepted');
    expect(await verify({ headers: { ...both }, secret: previousSecret })).toBe('accepted');
    expect(await verify({ headers: { ...both }, secret: otherSecret })).toBe('wrong_signature');
    const [right = ''] = both['webhook-signature'].split(' ');
    for (const signatures of [
      `v1a,AAAA ${right}`,
      `v2,${right.slice(3)} ${right}`,
      `v1, v1,! v1,AAAA v1 , ${right} `,
      `${right} v1,AAAA`,
    ]) {
      const headers = { ...both, 'webhook-signature': signatures };
      expect([signatures, await verify({ headers })]).toEqual([signatures, 'accepted']);
    }
  });

  test('accepts a delivery that was signed with one of several secrets', async () => {
    expect(await verify({ secret: [otherSecret, secret] })).toBe('accepted');
    expect(await verify({ secret: [otherSecret, previousSecret] })).toBe('wrong_signature');
  });

  test('throws wrong_signature if anything that was signed was changed', async () => {
    const headers = { ...signMessage([secret], message) };
    const signature = headers['webhook-signature'];
    expect(await verify({ rawBody: body.replace('sold', 'sole') })).toBe('wrong_signature');
    expect(await verify({ rawBody: `${body}\n` })).toBe('wrong_signature');
    expect(await verify({ rawBody: body.replace(':7,', ': 7,') })).toBe('wrong_signature');
    expect(await verify({ rawBody: '' })).toBe('wrong_signature');
    for (const change of [
      { 'webhook-id': 'evt_1043_k3Jd9QxZ' },
      { 'webhook-timestamp': '1795267986' },
      { 'webhook-timestamp': '01795267985' },
      { 'webhook-signature': signature.replace('v1,', 'v2,') },
      { 'webhook-signature': signature.slice('v1,'.length) },
      { 'webhook-signature': signature.slice(0, 20) },
      { 'webhook-signature': 'v1,' },
      { 'webhook-signature': `v1,${'A'.repeat(43)}=` },
    ]) {
      expect(await verify({ headers: { ...headers, ...change } })).toBe('wrong_signature');
    }
  });

  test('throws wrong_timestamp if the request is more than 5 minutes old, or from the future', async () => {
    const after = (seconds: number, toleranceSeconds?: number) =>
      verify({ now: now + seconds * 1000, toleranceSeconds });
    expect(await after(300.9)).toBe('accepted');
    expect(await after(301)).toBe('wrong_timestamp');
    expect(await after(-300)).toBe('accepted');
    expect(await after(-301)).toBe('wrong_timestamp');
    expect(await after(10, 10)).toBe('accepted');
    expect(await after(11, 10)).toBe('wrong_timestamp');
    expect(await after(3600, 3600)).toBe('accepted');
    for (const timestamp of [
      'soon',
      '-1',
      '1e9',
      '0x6b02',
      '1795267985.5',
      ' 1795267985',
      '9'.repeat(13),
    ]) {
      const headers = { ...signMessage([secret], message), 'webhook-timestamp': timestamp };
      expect([timestamp, await verify({ headers })]).toEqual([timestamp, 'wrong_timestamp']);
    }
    // Without `now`, the clock counts.
    const headers = { ...signMessage([secret], message) };
    const old = verifyWebhook(secret, headers, body, { now: undefined });
    await expect(old).rejects.toMatchObject({ name: 'WebhookError', code: 'wrong_timestamp' });
  });

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])(
    'throws missing_header without %s',
    async (name) => {
      const headers = { ...signMessage([secret], message) };
      for (const value of ['', undefined, []]) {
        expect(await verify({ headers: { ...headers, [name]: value } })).toBe('missing_header');
      }
      const others = new Headers(headers);
      others.delete(name);
      expect(await verify({ headers: others })).toBe('missing_header');
      expect(await verify({ headers: {} })).toBe('missing_header');
    },
  );

  test('throws invalid_body if a signed body is not JSON', async () => {
    const headers = { ...signMessage([secret], { ...message, body: 'thanks' }) };
    expect(await verify({ headers, rawBody: 'thanks' })).toBe('invalid_body');
  });

  test('explains calls that cannot work', async () => {
    const headers = { ...signMessage([secret], message) };
    const call = (secrets: unknown) => verifyWebhook(secrets as string, headers, body, { now });
    // Express passes an object, or nothing, if a request has another type or no body.
    for (const rawBody of [JSON.parse(body), {}, null, undefined]) {
      const refused = verifyWebhook(secret, headers, rawBody, { now });
      await expect(refused).rejects.toMatchObject({
        name: 'WebhookError',
        code: 'invalid_body',
        message: 'rawBody must be the text or bytes of the body, before a parser reads it',
      });
    }
    await expect(call([])).rejects.toThrow('verifyWebhook needs a secret');
    for (const wrong of [
      '',
      'whsec_',
      'secret',
      'whsec_!',
      secret.slice('whsec_'.length),
      undefined,
    ]) {
      await expect(call(wrong)).rejects.toThrow('A secret must be whsec_ followed by base64');
    }
  });

  test('accepts what the service sends, in a server of Node.js', async () => {
    const verified: unknown[] = [];
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      verified.push(await verifyWebhook(sentSecret, request.headers, Buffer.concat(chunks)));
      response.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await attempt(`http://shop.example:${port}/`, { allowed: allow('127.0.0.1') });
    server.close();
    expect(verified).toEqual([JSON.parse(event.body)]);
  });
});
