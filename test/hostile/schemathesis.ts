import { join } from 'node:path';
import { linesOf } from '../faults/figures.ts';
import { LeftOut, type LongTest, type TestOptions, type TestOutcome } from '../faults/long-test.ts';
import { publishedDocument } from '../support/published-document.ts';
import { installPython, pythonIsMissing } from '../support/python.ts';
import { runIn } from '../support/run-in.ts';
import { startServerProcess } from '../support/server-process.ts';
import { makeTemporaryFolder } from '../support/temporary-folder.ts';

const root = join(import.meta.dir, '../..');
const requirements = join(import.meta.dir, 'requirements.txt');
/** These headers have the same value in many requests, whose refusal would hide that another part was wrong. */
const hidingHeaders = /\/(?:Idempotency-Key|If-Match|If-None-Match-Write)$/;
const clientsPage = join(root, 'docs/clients.md');

const examplesEveryDay = 12;
const examplesOnDemand = 100;
/** The same seed gives the same requests. */
const seed = 1;

export const schemathesis: LongTest = {
  name: 'schemathesis',
  title:
    'requests that the published document allows, and requests that it does not allow, by Schemathesis with docs/schemathesis.toml',
  missing: () => pythonIsMissing(11),
  run,
};

async function run({ long }: TestOptions): Promise<TestOutcome> {
  using folder = makeTemporaryFolder();
  const hashed = ['--require-hashes', '--only-binary', ':all:', '-r', requirements];
  const failure = await installPython(folder.path, ...hashed);
  if (failure !== undefined) {
    // Without a network it is left out, but not with other files than those of the list.
    throw failure.includes('HASHES') ? new Error(failure) : new LeftOut(failure.split('\n')[0]);
  }
  const text = JSON.stringify(publishedDocument, (name, value) =>
    name === 'parameters' && Array.isArray(value)
      ? value.filter(({ $ref = '' }) => !hidingHeaders.test($ref))
      : value,
  );
  await Bun.write(join(folder.path, 'openapi.json'), text);
  await using server = await startServerProcess(`sqlite:${folder.path}/animals.db`);
  const command = [
    ...['venv/bin/schemathesis', '--no-color', '--config-file', `${root}/docs/schemathesis.toml`],
    ...['run', 'openapi.json', '--url', `${server.origin}/v1`, '--seed', `${seed}`],
    ...['--max-examples', `${long ? examplesOnDemand : examplesEveryDay}`, '--continue-on-failure'],
    // Webhooks would call the addresses that it invents.
    ...['--exclude-path-regex', '^/webhooks'],
  ];
  const { exitCode, text: output } = await runIn(folder.path, command, {
    KEY: server.firstKey ?? '',
  });
  const [, operations] = /^ *Tested: ([0-9]+)$/m.exec(output) ?? [];
  const [cases] = /[0-9]+ generated, .*/.exec(output) ?? [];
  const [, found = output] = output.split(/^=+ (?:FAILURES|ERRORS|WARNINGS|SUMMARY) =+$/m);
  const [pinned = ''] = /^schemathesis==\S+/m.exec(await Bun.file(requirements).text()) ?? [];
  const isDocumented = (await Bun.file(clientsPage).text()).includes(pinned);
  return {
    figures: [`${operations} operations`, `${cases}`],
    broken: linesOf(exitCode !== 0 && found.trim(), !isDocumented && `docs lack ${pinned}`),
  };
}
