// The sandbox gives this page an origin that equals no other. Its address still names that of the page around it.
const hostOrigin = new URL(document.URL).origin;

/** A `fetch` of the page around this frame. */
export function fetchThroughHost(url, { method = 'GET', headers, body }) {
  const { port1: answers, port2: port } = new MessageChannel();
  const address = new URL(url, document.URL).href;
  parent.postMessage({ address, method, headers, body }, hostOrigin, [port]);
  return new Promise((resolve, reject) => {
    answers.onmessage = ({ data }) => {
      answers.close();
      if (data.failure !== undefined) reject(new TypeError(data.failure));
      // A response such as 204 must have no body, not even an empty one.
      else resolve(new Response(data.body.byteLength === 0 ? null : data.body, data));
    };
  });
}

/** Copies the `#` part of the address that Swagger UI sets to the page around this frame. */
export function showHashInHost() {
  history.pushState = (_state, _unused, hash) => parent.postMessage({ hash }, hostOrigin);
}
