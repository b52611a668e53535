/** Runs a command in a folder. `text` is its standard output, followed by standard error if it fails. */
export async function runIn(
  folder: string,
  command: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<{ readonly exitCode: number; readonly text: string }> {
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { ...process.env, ...environment },
    stdout: 'pipe',
    stderr: 'pipe',
  });
  const [text, errors, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { exitCode, text: exitCode === 0 ? text : text + errors };
}
