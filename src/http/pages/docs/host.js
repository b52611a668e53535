// The page around the frame with the reference. The frame cannot connect to anything. This page sends its requests, without
// cookies, and only to addresses that the content security policy of this page allows.

const frame = document.createElement('iframe');
frame.title = 'API reference';
frame.allow = 'clipboard-write';
frame.src = `docs/reference${location.hash}`;

addEventListener('message', async ({ source, data, ports: [port] }) => {
  if (source !== frame.contentWindow) return;
  if (port !== undefined) port.postMessage(await send(data));
  else if (/^#/.test(data.hash)) history.replaceState(null, '', data.hash);
});

document.body.append(frame);

/** The parts of a response, or the reason why the request failed. */
async function send({ address, method, headers, body }) {
  try {
    const response = await fetch(address, { method, headers, body, credentials: 'omit' });
    const { status, statusText } = response;
    return {
      status,
      statusText,
      headers: [...response.headers],
      body: await response.arrayBuffer(),
    };
  } catch (error) {
    return { failure: String(error) };
  }
}
