import { afterEach, expect, mock } from 'bun:test';
import { configure, fireEvent, screen, waitFor, within } from '@testing-library/dom';
import { render } from 'preact';
import type { Scope } from '../../src/domain/access/api-key.ts';
import { sessionState } from '../src/api/session.ts';
import { App } from '../src/app.tsx';
import * as compat from '../src/parts/combobox/compat.ts';
import { route, showRoute } from '../src/route.ts';

/** The interface of test/support/component-service.ts, whose types are those of Bun. */
interface ConsoleService extends AsyncDisposable {
  answer(request: Request): Promise<Response>;
  call(method: string, path: string, body?: object): Promise<unknown>;
  addWorkspace(name: string): Promise<void>;
  newKey(scopes: readonly Scope[], workspace?: string): Promise<string>;
  newLink(): Promise<string>;
  signIn(scopes?: readonly Scope[]): Promise<void>;
  signInElsewhere(scopes?: readonly Scope[]): Promise<() => Promise<void>>;
  signOutElsewhere(): Promise<void>;
}

const servicePath: string = '../../test/support/component-service.ts';
const { openConsoleService }: { openConsoleService(): Promise<ConsoleService> } = await import(
  servicePath
);

// As in the bundle.
mock.module('preact/compat', () => compat);

configure({
  asyncUtilTimeout: 10_000,
  getElementError: (message) =>
    new Error(`${message?.split('\n')[0]} The page has:\n${document.body.textContent}`),
});

/** The page of a service in this process. */
export interface Page extends Omit<ConsoleService, 'answer' | 'signIn'> {
  /** The requests of the page that the service has answered, each as its method and path. */
  readonly requests: string[];
  /** The service does the next such change, but the page does not get its answer. */
  lost: RegExp | undefined;
  /** The service does the next such change, and another program answers in its place. */
  replaced: RegExp | undefined;
  /** The service refuses such requests. */
  refused: RegExp | undefined;
  /** Such requests are answered only then. */
  held: { readonly line: RegExp; readonly until: Promise<unknown> } | undefined;
}

interface PageOptions {
  /** The screen, as in an address after its `#`. */
  readonly at: string;
  /** Of the key that signed in. Without them, an owner did. With null, the page asks to sign in. */
  readonly scopes?: readonly Scope[] | null;
  /** Runs before the page is opened. */
  readonly fill?: (call: Page['call']) => Promise<unknown>;
  /** Requests that the service refuses. */
  readonly refused?: RegExp;
  /** Requests whose answers a proxy holds back. */
  readonly unanswered?: RegExp;
}

let close: (() => Promise<void>) | undefined;
afterEach(async () => {
  await close?.();
  close = undefined;
});

/** Opens the page for one test. */
export async function openPage({
  at,
  scopes,
  fill,
  refused,
  unanswered,
}: PageOptions): Promise<Page> {
  const service = await openConsoleService();
  await fill?.(service.call);
  if (scopes !== null) await service.signIn(scopes);
  const page: Page = {
    ...service,
    requests: [],
    lost: undefined,
    replaced: undefined,
    refused,
    held: undefined,
  };
  const { fetch } = globalThis;
  const answer = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init);
    const line = `${request.method} ${new URL(request.url).pathname.replace('/console/v1', '')}`;
    if (page.refused?.test(line) === true) {
      return Response.json({ code: 'invalid_parameter', message: 'Refused.' }, { status: 400 });
    }
    // A change of nothing is a read.
    const isRead = (await request.clone().text()) === '{}';
    if (unanswered?.test(line) === true) {
      return new Promise((_, reject) => {
        request.signal.addEventListener('abort', () => reject(request.signal.reason));
      });
    }
    const answered = await service.answer(request);
    page.requests.push(line);
    if (page.held?.line.test(line) === true) await page.held.until;
    if (!isRead && page.replaced?.test(line) === true) {
      page.replaced = undefined;
      return new Response('{');
    }
    if (isRead || page.lost?.test(line) !== true) return answered;
    page.lost = undefined;
    throw new TypeError('The answer was lost.');
  };
  globalThis.fetch = Object.assign(answer, fetch);
  await goTo(at);
  const root = document.createElement('div');
  document.body.append(root);
  render(<App />, root);
  close = async () => {
    sessionState.value = { is: 'loading' };
    showRoute();
    render(null, root);
    root.remove();
    globalThis.fetch = fetch;
    await service[Symbol.asyncDispose]();
  };
  return page;
}

/** Answers such requests of the page, instead of the service or with its help, until the returned function is called. */
export function answerBy(
  path: RegExp,
  answer: (request: Request, send: typeof fetch) => Promise<Response>,
): () => void {
  const { fetch } = globalThis;
  globalThis.fetch = Object.assign(async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input, init);
    return path.test(request.url) ? await answer(request, fetch) : await fetch(request);
  }, fetch);
  return () => {
    globalThis.fetch = fetch;
  };
}

/** Goes to a screen, as a link does. */
export async function goTo(at: string): Promise<void> {
  const [, screen = '', query = ''] = /^([^/?]*)[^?]*\??(.*)$/.exec(at) ?? [];
  const isThere = () => route.peek().screen === screen && String(route.peek().query) === query;
  // A page that was closed can still write its address once.
  for (let left = 5; left > 0 && (location.hash !== `#${at}` || !isThere()); left -= 1) {
    location.hash = '';
    location.hash = at;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

type Name = string | RegExp;

/** Behind a dialog, no control can be used. */
const inFront = () => {
  const dialog = [...document.querySelectorAll<HTMLElement>('dialog[open]')].at(-1);
  return within(dialog ?? document.body);
};

/** Clicks a control as soon as it is there. */
export async function click(name: Name, role = 'button'): Promise<void> {
  fireEvent.click(await waitFor(() => inFront().getByRole(role, { name })));
}

/** Does something with a record, by a button or by the menu of its row. */
export async function act(action: string, record: string): Promise<void> {
  const name = `${action} ${record}`;
  const more = await waitFor(
    () =>
      inFront().queryByRole('button', { name }) ??
      inFront().getByRole('button', { name: `More for ${record}` }),
  );
  fireEvent.click(more);
  if (more.hasAttribute('aria-haspopup')) await click(name, 'menuitem');
}

/** Chooses a line of the menu of settings. */
export async function chooseSetting(name: Name): Promise<void> {
  await click('Settings');
  await click(name, 'menuitem');
}

/** The lines of the menu of settings, which is closed again. */
export async function readSettings(): Promise<readonly string[]> {
  await click('Settings');
  const lines = inFront().getAllByRole('menuitem');
  fireEvent(inFront().getByRole('menu'), new Event('close', { bubbles: true }));
  return lines.map(({ textContent }) => textContent);
}

export async function type(label: Name, value: string): Promise<void> {
  fireEvent.input(await waitFor(() => inFront().getByLabelText(label)), { target: { value } });
}

export async function choose(label: Name, option: Name): Promise<void> {
  const found = await waitFor(() => {
    const field = inFront().getByLabelText(label);
    return within(field).getByRole<HTMLOptionElement>('option', { name: option });
  });
  const field = found.closest('select');
  if (field !== null) fireEvent.change(field, { target: { value: found.value } });
}

/** Types into a field with a list, and chooses the first option by Enter. Returns the options that it had. */
export async function pick(label: Name, typed: string): Promise<readonly string[]> {
  const field = await waitFor(() => inFront().getByRole('combobox', { name: label }));
  field.focus();
  fireEvent.input(field, { target: { value: typed } });
  const options = await waitFor(() => {
    expect(field.getAttribute('aria-activedescendant')).toBeTruthy();
    return inFront().getAllByRole('option');
  });
  fireEvent.keyDown(field, { key: 'Enter' });
  await waitFor(() => expect(field.getAttribute('aria-expanded')).toBe('false'));
  return options.map(({ textContent }) => textContent);
}

export async function see(text: Name): Promise<HTMLElement> {
  return (await screen.findAllByText(text))[0] ?? document.body;
}

/** Whether the page has a control that the user can use. */
export const has = (name: Name, role = 'button') => inFront().queryByRole(role, { name }) !== null;

export async function seeNoDialog(): Promise<void> {
  await waitFor(() => expect(screen.queryAllByRole('dialog').length).toBe(0));
}
