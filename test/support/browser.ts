import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumLaunch, unpackChromium } from './chromium.ts';

/** All that a page waits for happens on this machine, so this is enough even if it is busy. */
const waitMilliseconds = 30_000;

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
  await unpackChromium();
  return chromium.launch(chromiumLaunch);
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
  options: { colorScheme?: 'light' | 'dark' } = {},
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
