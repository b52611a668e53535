import { afterEach, describe, expect, setSystemTime, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { isWebhookSecret, makeWebhookSecret, signMessage } from './signature.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const previousSecret = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';

// 281 bytes without a line feed.
const body =
  '{"id":"evt_1042_k3Jd9QxZ","sequence":1042,"type":"pet.updated","timestamp":"2026-11-21T13:33:05.123456Z",' +
  '"apiVersion":"1.0.0","workspace":"default","requestId":"r-7f3a","data":{"id":7,"name":"Rex",' +
  '"categoryId":9223372036854775807,"status":"sold"},"previous":{"status":"available"}}';

const message = { id: 'evt_1042_k3Jd9QxZ', timestampSeconds: 1_795_267_985, body };

describe('a signature', () => {
  // Computed with Python's hmac.
  test('is the HMAC-SHA256 of id, timestamp and body, in the header of Standard Webhooks', () => {
    expect(Buffer.byteLength(body)).toBe(281);
    expect(signMessage([secret], message)).toEqual({
      'webhook-id': 'evt_1042_k3Jd9QxZ',
      'webhook-timestamp': '1795267985',
      'webhook-signature': 'v1,EmjdvJ+Q60lLn6ATyVEak6pY1oIRg3KO1F4D6+cu99Y=',
    });
  });

  test('is made with each valid secret, the newest first', () => {
    const { 'webhook-signature': signature } = signMessage([secret, previousSecret], message);
    expect(signature).toBe(
      'v1,EmjdvJ+Q60lLn6ATyVEak6pY1oIRg3KO1F4D6+cu99Y= v1,22BKPMAw6GaGhN0lteQ3DsKW7YgvZeGE2JiUp/xiPwE=',
    );
  });
});

describe('the package standardwebhooks', () => {
  afterEach(() => {
    setSystemTime();
  });

  /** Whether it accepts our headers, so many seconds after the attempt. */
  function isAccepted(
    withSecret: string,
    { secrets = [secret], seconds = 0, sentBody = body } = {},
  ): boolean {
    setSystemTime(new Date((message.timestampSeconds + seconds) * 1000));
    const sent = { ...signMessage(secrets, message) };
    try {
      new Webhook(withSecret).verify(sentBody, sent);
      return true;
    } catch (error) {
      expect(error).toMatchObject({ name: 'WebhookVerificationError' });
      return false;
    }
  }

  test('accepts a delivery with the secret, and refuses one with another', () => {
    expect(isAccepted(secret)).toBe(true);
    expect(isAccepted(previousSecret)).toBe(false);
  });

  test('accepts a delivery with both secrets during the overlap of a rotation', () => {
    const secrets = [secret, previousSecret];
    expect(isAccepted(secret, { secrets })).toBe(true);
    expect(isAccepted(previousSecret, { secrets })).toBe(true);
  });

  test('refuses a delivery that was changed, and one that was sent more than 5 minutes ago', () => {
    expect(isAccepted(secret, { sentBody: body.replace('Rex', 'Max') })).toBe(false);
    expect(isAccepted(secret, { seconds: 301 })).toBe(false);
  });

  test('accepts every new secret, and a body with any character', () => {
    const texts = [
      '{}',
      '{"name":"Zoë \u{1f431} \\u0000 \u2028"}',
      JSON.stringify('é'.repeat(9000)),
    ];
    for (const text of texts) {
      const made = makeWebhookSecret(randomBytes);
      const now = Math.floor(Date.now() / 1000);
      const headers = signMessage([made], { id: 'evt_1_x', timestampSeconds: now, body: text });
      expect(new Webhook(made).verify(text, { ...headers })).toEqual(JSON.parse(text));
    }
  });
});

describe('a secret', () => {
  test('is whsec_ and 32 random bytes in base64', () => {
    const made = makeWebhookSecret(randomBytes);
    expect(made).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(makeWebhookSecret((count) => Uint8Array.from({ length: count }, (_, i) => i))).toBe(
      secret,
    );
    expect(isWebhookSecret(made)).toBe(true);
  });

  test.each([
    '',
    'whsec_',
    'whsec_c2hvcnQ=',
    secret.slice('whsec_'.length),
    secret.slice(0, -1),
    `${secret}\n`,
    secret.replace('A', '-'),
    `whsec_${Buffer.alloc(23).toString('base64')}`,
    `whsec_${Buffer.alloc(65).toString('base64')}`,
  ])('%j is rejected', (text) => {
    expect(isWebhookSecret(text)).toBe(false);
  });
});
