/** Programs for administrators are only in the PATH of root. */
const path = `${process.env.PATH ?? ''}:/usr/local/sbin:/usr/sbin`;

/** The reason why a program cannot run on this machine, or undefined if it can. */
export function isMissing(program: string, debianPackage: string): string | undefined {
  if (Bun.which(program, { PATH: path }) !== null) return undefined;
  return `this machine has no ${program} (Debian: ${debianPackage})`;
}

type ProxyProcess = ReturnType<typeof spawnProxy>;

export function spawnProxy(command: readonly string[], outputPath = '/dev/null') {
  const [program = '', ...rest] = command;
  return Bun.spawn([Bun.which(program, { PATH: path }) ?? program, ...rest], {
    env: { ...process.env, PATH: path },
    stdin: 'ignore',
    stdout: Bun.file(outputPath),
    stderr: 'pipe',
  });
}

export async function endProxy(child: ProxyProcess, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await child.exited;
}

export async function waitUntilListening(
  child: { readonly exitCode: number | null; readonly stderr: ReadableStream<Uint8Array> },
  port: number,
): Promise<void> {
  for (;;) {
    try {
      (await Bun.connect({ hostname: '127.0.0.1', port, socket: { data() {} } })).end();
      return;
    } catch {
      if (child.exitCode !== null) {
        throw new Error(`The program did not start: ${await new Response(child.stderr).text()}`);
      }
      await Bun.sleep(10);
    }
  }
}
