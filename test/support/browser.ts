import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import packageJson from '../../package.json' with { type: 'json' };

const cacheFolder = join(import.meta.dir, '../../node_modules/.cache');

/** All that a page waits for happens on this machine, so this is enough even if it is busy. */
const waitMilliseconds = 30_000;

/** Names of other machines that every page resolves to this one. */
const namesOfThisMachine = ['shop.lan', 'animals.example'];

export interface BrowserPage extends AsyncDisposable {
  /** The first tab. */
  readonly page: Page;
  /** All tabs, with their common storage. */
  readonly context: BrowserContext;
  /** Errors on the consoles of all tabs, uncaught exceptions, and violations of content security policies. */
  readonly complaints: readonly string[];
  /** Addresses of all requests. */
  readonly requests: readonly string[];
}

/** A Chromium for all pages of this process, each in its own context. Its start takes longer than most tests. */
let shared: Promise<Browser> | undefined;
let openPages = 0;
let closing: Timer | undefined;
const idleMilliseconds = 2000;

async function launchChromium(): Promise<Browser> {
  const folder = await unpackChromium();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [
      // Chromium's own sandbox does not start for root, and tests in containers often run as root.
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

/** Ends Chromium unless another page is opened soon. Otherwise its process would keep this one running. */
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

/** A page of a real headless Chromium with empty storage. */
export async function openBrowserPage(
  options: {
    colorScheme?: 'light' | 'dark';
    viewport?: { width: number; height: number };
    locale?: string;
    timezoneId?: string;
    hasTouch?: boolean;
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
 * returns the folder. The package would unpack into the shared /tmp, and keep an incomplete file for ever if the
 * first run is interrupted. Here the folder gets its name only when it is complete.
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
      // The package unpacks its libraries only if this variable names their runtime.
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
    // Another run was faster. Its folder is equal.
    rmSync(unfinished, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
