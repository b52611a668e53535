import { startChild } from '../children.ts';
import { type RunningServer, waitForAnswer } from '../servers/running-server.ts';
import type { Workbench } from '../workbench.ts';
import { nodePath } from './install.ts';

export interface NodePeerOptions {
  readonly name: string;
  readonly port: number;
  /** The script and what follows it. */
  readonly arguments: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** Starts a peer on Node.js as it is meant to run in production, and waits until it answers. */
export async function startNodePeer(
  { folder, pinning }: Workbench,
  options: NodePeerOptions,
): Promise<RunningServer> {
  const { name, port, headers } = options;
  const child = startChild([nodePath, ...options.arguments], {
    folder,
    cores: pinning.server,
    env: { NODE_ENV: 'production', ...options.env },
  });
  const origin = `http://127.0.0.1:${port}`;
  await Promise.race([
    waitForAnswer(`${origin}/`),
    child.exited.then((code) => {
      throw new Error(`${name} ended with ${code}: ${child.output().stderr.trim().slice(-1000)}`);
    }),
  ]);
  return {
    name,
    origin,
    pid: child.pid,
    headers,
    [Symbol.asyncDispose]: () => child[Symbol.asyncDispose](),
  };
}
