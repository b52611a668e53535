/** A count with its noun, such as `1 animal` or `3 animals`. */
export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Texts of several screens. */
export const common = {
  title: 'Animal Store',
  pageTitle: (screen: string) => `${screen} – Animal Store`,
  loading: 'Loading…',
  tryAgain: 'Try again',
  actionOn: (action: string, record: string) => `${action} ${record}`,
  close: 'Close',
  goBack: 'Go back',
  dismiss: 'Dismiss',
  edit: 'Edit',
  delete: 'Delete',
  deleteWithQuestion: 'Delete…',
  deletePermanently: 'Delete permanently',
  save: 'Save',
  saving: 'Saving…',
  saved: (name: string) => `${name} was saved.`,
  deleted: (name: string) => `${name} was deleted.`,
  number: 'Number',
  name: 'Name',
  category: 'Category',
  status: 'Status',
  actions: 'Actions',
  all: 'All',
  count: (count: bigint | undefined) => (count === undefined ? '' : ` ${count.toLocaleString()}`),
  unsaved: 'Your changes are not saved. Close again to discard them.',
  mayClose: 'You can close this dialog. A message will show the result.',
  slow: 'This takes longer than usual.',
  slowRetry: 'The server is slow. The page retries, and nothing is done twice.',
  showNew: (count: number, noun: string) => `Show ${pluralize(count, `new ${noun}`)}`,
} as const;

/** The header, the navigation and the frame of each screen. */
export const frame = {
  titles: {
    animals: 'Animals',
    orders: 'Orders',
    categories: 'Categories',
    import: 'Import',
    events: 'Events',
    keys: 'Keys',
  },
  screens: 'Screens',
  skip: 'Skip to the content',
  importing: 'Importing…',
  api: 'API',
  signOut: 'Sign out',
  notAllowed: 'Your key does not have access to this screen.',
  environments: { production: 'Production', staging: 'Staging: for tests' },
  connections: {
    connecting: 'Connecting…',
    live: 'Live',
    lost: 'No connection: trying again',
    off: 'Not live: the key has no access to events',
  },
  stopImport: 'Stop the import?',
  stop: 'Stop the import',
  stopHint: 'To continue the import, choose the same file again within a day.',
} as const;
