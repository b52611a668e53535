import { join } from 'node:path';
import { signMessage } from '../../src/webhooks/signature.ts';
import { installPython } from '../support/python.ts';
import { runIn } from '../support/run-in.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const secret = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=';
const previousSecret = 'whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8=';
const body = '{"id":"evt_1_k3Jd9QxZ","data":{"name":"Zoë","categoryId":9223372036854775807}}';

/** Prints a line for each delivery: the categoryId that was read, or `refused`. */
const program = `
import json, sys
from standardwebhooks.webhooks import Webhook, WebhookVerificationError
for secret, headers, body in json.load(sys.stdin):
    try:
        print(Webhook(secret).verify(body, headers)["data"]["categoryId"])
    except WebhookVerificationError:
        print("refused")
`;

/** Installs the package for Python in a folder of its own, and verifies deliveries with it. Returns what went wrong. */
export async function verifyInPython(): Promise<readonly string[]> {
  using folder = makeTemporaryFolder();
  const failure = await installPython(folder.path, 'standardwebhooks==1.1.0');
  if (failure !== undefined) return [failure];
  const now = Math.floor(Date.now() / 1000);
  const sign = (secrets: readonly string[], timestampSeconds = now) =>
    signMessage(secrets, { id: 'evt_1_k3Jd9QxZ', timestampSeconds, body });
  const accepted = '9223372036854775807';
  const deliveries = [
    [accepted, secret, sign([secret]), body],
    [accepted, secret, sign([secret, previousSecret]), body],
    [accepted, previousSecret, sign([secret, previousSecret]), body],
    ['refused', previousSecret, sign([secret]), body],
    ['refused', secret, sign([secret]), body.replace('Zoë', 'Zoe')],
    ['refused', secret, sign([secret], now - 301), body],
    ['refused', secret, { ...sign([secret]), 'webhook-id': 'evt_2_k3Jd9QxZ' }, body],
  ] as const;
  const input = join(folder.path, 'deliveries.json');
  await Bun.write(input, JSON.stringify(deliveries.map(([, ...delivery]) => delivery)));
  await Bun.write(join(folder.path, 'verify.py'), program);
  const command = ['sh', '-c', 'venv/bin/python verify.py < deliveries.json'];
  const { text } = await runIn(folder.path, command);
  const lines = text.trim().split('\n');
  return deliveries
    .map(([expected], index) => `delivery ${index}: ${lines[index]}, not ${expected}`)
    .filter((_, index) => lines[index] !== deliveries[index]?.[0]);
}
