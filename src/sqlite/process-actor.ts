import { CString, FFIType, type Pointer, read } from 'bun:ffi';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { echo } from '../domain/echo.ts';
import { openSystemLibrary } from './file/system-library.ts';

interface Account {
  readonly uid: number;
  /** The number in /proc/self/loginuid; undefined if the system has none. */
  readonly loginUid: string | undefined;
  /** The variable SUDO_UID, which the user of the process can set. */
  readonly sudoUid: string | undefined;
  readonly host: string;
  /** The name in the password database. */
  readonly nameOf: (uid: number) => string | undefined;
}

/** `(uid_t) -1`: not a user. The login uid of a process that no login started. */
const noUid = 2 ** 32 - 1;

/**
 * Describes the account and the machine of a process. If its user logged in with another account and became this one, as with
 * `sudo`, the login is added. Without privileges, it can be set only if there is none. Then SUDO_UID is added instead.
 */
export function describeActor({ uid, loginUid, sudoUid, host, nameOf }: Account): string {
  const describe = (found: number) => {
    const name = nameOf(found);
    return name === undefined ? `uid ${found}` : `uid ${found} ${echo(name)}`;
  };
  const login = parseUid(loginUid);
  const [kind, origin] = login === undefined ? ['sudo', parseUid(sudoUid)] : ['login', login];
  const isOther = origin !== undefined && origin !== uid;
  const added = isOther ? `, ${kind} ${describe(origin)},` : '';
  return `${describe(uid)}${added} on ${host}`;
}

function parseUid(text: string | undefined): number | undefined {
  const uid = /^[0-9]{1,10}$/.test(text ?? '') ? Number(text) : noUid;
  return uid < noUid ? uid : undefined;
}

let actor: string | undefined;

/** Describes this process. The password database can be on another machine, so it is read once, and only if an actor is needed. */
export function readProcessActor(): string {
  actor ??= describeActor({
    uid: process.getuid?.() ?? -1,
    loginUid: readLoginUid(),
    sudoUid: process.env.SUDO_UID,
    host: hostname(),
    nameOf: findAccountName,
  });
  return actor;
}

/** Linux keeps the account of the login through `su` and `sudo` (pam_loginuid(8)). */
function readLoginUid(): string | undefined {
  try {
    return readFileSync('/proc/self/loginuid', 'utf8').trim();
  } catch {
    return undefined;
  }
}

/** The name of an account in the password database. `os.userInfo()` of Bun returns the variable USER instead. */
export function findAccountName(uid: number): string | undefined {
  const getpwuid = openSystemLibrary({
    getpwuid: { args: [FFIType.u32], returns: FFIType.ptr },
  })?.getpwuid;
  const entry = getpwuid?.(uid) ?? null;
  if (entry === null) return undefined;
  // The name is the first member of the structure.
  const name = new CString(read.ptr(entry, 0) as Pointer).toString();
  return name === '' ? undefined : name;
}
