import { keepAtReload, takeKept } from './reload.ts';

// A page has one open dialog at a time. It is kept if it has a form, and so no secret that is shown once.

interface KeptForm<Draft> {
  readonly draft: Draft;
  /** A request that was sent before the reload is not done twice. */
  readonly idempotencyKey: string;
}

interface KeptDialog<Opened> {
  readonly opened: Opened;
  readonly form: KeptForm<unknown>;
}

let readForm: (() => KeptForm<unknown>) | undefined;
/** For the form of the dialog that opens again. */
let keptForm: KeptForm<unknown> | undefined;

const nameOf = (dialogs: string) => `dialog ${dialogs}`;

/** Keeps the dialog that is open among some, which have this name. Returns what ends this. */
export function keepDialog<Opened>(dialogs: string, read: () => Opened | undefined): () => void {
  return keepAtReload(nameOf(dialogs), (): KeptDialog<Opened> | undefined => {
    const opened = read();
    return opened && readForm && { opened, form: readForm() };
  });
}

export function takeKeptDialog<Opened>(dialogs: string): Opened | undefined {
  const kept = takeKept<KeptDialog<Opened>>(nameOf(dialogs));
  if (kept !== undefined) keptForm = kept.form;
  return kept?.opened;
}

/** Keeps the form of the open dialog, while it is shown. Returns what ends this. */
export function keepForm(read: () => KeptForm<unknown>): () => void {
  readForm = read;
  return () => {
    if (readForm === read) readForm = undefined;
  };
}

/** The form as it was before the reload. Another version may have had other fields, of which only the same ones are taken. */
export function takeKeptForm<Draft>(initial: Draft): KeptForm<Draft> | undefined {
  const kept = keptForm;
  keptForm = undefined;
  if (kept === undefined) return undefined;
  const known = new Map(Object.entries(kept.draft ?? {}));
  const same = Object.entries(initial ?? {})
    .filter(([name, value]) => known.has(name) && typeof known.get(name) === typeof value)
    .map(([name]) => [name, known.get(name)]);
  return {
    draft: { ...initial, ...Object.fromEntries(same) },
    idempotencyKey: kept.idempotencyKey,
  };
}
