import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import packageJson from '../../package.json' with { type: 'json' };

const cacheFolder = join(import.meta.dir, '../../node_modules/.cache');

/** Everything a page waits for happens on this machine; what has not come by then never will. */
const waitMilliseconds = 10_000;

/** Names of other machines that lead to this one in every page. */
const namesOfThisMachine = ['shop.lan', 'animals.example'];

export interface BrowserPage extends AsyncDisposable {
  /** The first tab. */
  readonly page: Page;
  /** All tabs, with what they have in common. */
  readonly context: BrowserContext;
  /** The errors on their consoles, those they threw, and what their content security policies refused. */
  readonly complaints: readonly string[];
  /** Addresses of every request they made. */
  readonly requests: readonly string[];
}

/** A Chromium that all pages of this process share, each in a context of its own: its start takes longer than most tests. */
let shared: Promise<Browser> | undefined;
let openPages = 0;
let closing: Timer | undefined;
const idleMilliseconds = 2000;

async function launchChromium(): Promise<Browser> {
  const folder = await unpackChromium();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [
      // Chromium's own sandbox does not start for root, which a container's tests often run as.
      '--no-sandbox',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-quic',
      '--no-first-run',
      `--host-resolver-rules=${namesOfThisMachine.map((name) => `MAP ${name} 127.0.0.1`).join(', ')}`,
    ],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  });
}

/** Ends Chromium unless another page is opened soon: its process would keep this one from ending. */
async function closePage(context: BrowserContext): Promise<void> {
  await context.close();
  openPages -= 1;
  if (openPages > 0) return;
  closing = setTimeout(async () => {
    const browser = await shared;
    shared = undefined;
    await browser?.close();
  }, idleMilliseconds);
}

/** A page of a real Chromium, as headless as a server needs, with nothing stored. */
export async function openBrowserPage(
  options: {
    colorScheme?: 'light' | 'dark';
    viewport?: { width: number; height: number };
    locale?: string;
    ignoreHTTPSErrors?: boolean;
  } = {},
): Promise<BrowserPage> {
  openPages += 1;
  clearTimeout(closing);
  shared ??= launchChromium();
  const browser = await shared;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    ...options,
  });
  context.setDefaultTimeout(waitMilliseconds);
  const complaints: string[] = [];
  const requests: string[] = [];
  context.on('console', (message) => {
    // A 401 informs the page that it has no session.
    const isExpected = /^Failed to load resource.* 401 /.test(message.text());
    if (message.type() === 'error' && !isExpected) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('request', (request) => requests.push(request.url()));
  await context.addInitScript(
    `addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
      console.error('refused by ' + violatedDirective + ': ' + blockedURI))`,
  );
  const page = await context.newPage();
  return {
    page,
    context,
    complaints,
    requests,
    [Symbol.asyncDispose]: () => closePage(context),
  };
}

/**
 * Unpacks the Chromium that npm installed, once, with the libraries and fonts that a bare machine lacks, and
 * returns the folder. The package would unpack into the shared /tmp, where half a file stays for ever when the
 * first run is interrupted; here the folder appears under its name only when it is whole.
 */
async function unpackChromium(): Promise<string> {
  const version = packageJson.devDependencies['@sparticuz/chromium'];
  const folder = join(cacheFolder, `chromium-${version}`);
  if (existsSync(folder)) return folder;

  mkdirSync(cacheFolder, { recursive: true });
  const unfinished = mkdtempSync(`${folder}-`);
  const child = Bun.spawn(
    [
      process.execPath,
      '--eval',
      "await (await import('@sparticuz/chromium')).default.executablePath()",
    ],
    {
      cwd: import.meta.dir,
      // The package unpacks its libraries only where this variable names the runtime they were made for.
      env: { PATH: process.env.PATH, TMPDIR: unfinished, AWS_LAMBDA_JS_RUNTIME: 'nodejs22.x' },
      stderr: 'pipe',
    },
  );
  const errors = await new Response(child.stderr).text();
  if ((await child.exited) !== 0) throw new Error(`Chromium could not be unpacked: ${errors}`);
  writeFileSync(
    join(unfinished, 'fonts.conf'),
    `<fontconfig><dir>${folder}/fonts</dir><cachedir>${folder}/fonts-cache</cachedir></fontconfig>`,
  );
  try {
    renameSync(unfinished, folder);
  } catch (error) {
    // Another run was faster, and its folder is as good.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
