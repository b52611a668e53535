/** Where a thread's module is. An executable (`npm run build`) has its modules at its root, and a thread below that. */
export function threadUrl(module: 'writer-thread.ts' | 'verify-thread.ts'): string {
  const folder = import.meta.url.includes('/$bunfs/') ? './sqlite/' : './';
  return new URL(`${folder}${module}`, import.meta.url).href;
}
