import { FFIType } from 'bun:ffi';
import { openSystemLibrary } from './system-library.ts';

let isSet = false;

/**
 * Makes the process end without closing connections of SQLite. The last connection to close checkpoints the log, and after the log
 * or the data file was overwritten, a checkpoint would copy wrong pages. Bun closes all connections when the process ends, and
 * SQLite has a setting against the checkpoint that Bun does not offer, so the process ends by `_exit` of the C library.
 */
export function endWithoutClosing(): void {
  if (isSet) return;
  isSet = true;
  const library = openSystemLibrary({ _exit: { args: [FFIType.i32], returns: FFIType.void } });
  process.on('exit', (code) => {
    // Without this library, only a kill prevents the checkpoint.
    if (library === undefined) process.kill(process.pid, 'SIGKILL');
    else library._exit(code);
  });
}
