import { Window } from 'happy-dom';

// Gives the tests of the console what browsers have and Bun lacks. The page and the service run in one process, so requests,
// responses, streams and timers stay those of Bun.

const window = new Window({
  url: 'http://localhost:8080/console/w/default/',
  // A file that is saved leaves no page.
  settings: { navigation: { disableMainFrameNavigation: true, disableFallbackToSetURL: true } },
});
Reflect.set(window, 'isSecureContext', true);
// As if no other tab were open.
const locks = { request: (_name: string, _options: object, run: () => unknown) => run() };
Reflect.defineProperty(window.navigator, 'locks', { value: locks });

/** Bun has them too, but the page needs those of its window. */
const ofWindow = new Set([
  ...['addEventListener', 'removeEventListener', 'dispatchEvent', 'navigator'],
  ...['Event', 'CustomEvent', 'KeyboardEvent', 'FocusEvent', 'InputEvent', 'DOMException'],
]);

for (const name of [...Object.getOwnPropertyNames(window), 'isSecureContext']) {
  if (name in globalThis && !ofWindow.has(name)) continue;
  const value: unknown = Reflect.get(window, name);
  const isFunction = typeof value === 'function' && !/^[A-Z]/.test(name);
  Object.defineProperty(globalThis, name, {
    value: isFunction ? value.bind(window) : value,
    configurable: true,
    writable: true,
  });
}
