import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** The program of a developer that receives events. */
export interface Receiver extends Disposable {
  readonly url: string;
  /** How it answers. */
  readonly answer: { httpStatus: number; text: string };
  /** Types and ids of the events that arrived, in their order, such as `pet.created 1`. */
  readonly events: readonly string[];
}

export async function startReceiver(): Promise<Receiver> {
  const answer = { httpStatus: 200, text: 'thank you' };
  const events: string[] = [];
  const server = createServer(async (request, response) => {
    const { type, data } = JSON.parse(await text(request));
    events.push(`${type} ${data.id ?? ''}`.trim());
    response.writeHead(answer.httpStatus).end(answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    answer,
    events,
    [Symbol.dispose]() {
      server.closeAllConnections();
      server.close();
    },
  };
}
