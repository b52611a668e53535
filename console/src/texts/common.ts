import { countRecords, type ListedKind, localCount, pluralize } from './local-count.ts';
import { isolate } from './short-name.ts';

const newRecords = {
  pet: { one: 'Show # new animal', other: 'Show # new animals' },
  order: { one: 'Show # new order', other: 'Show # new orders' },
};

/** Texts of several screens. */
export const common = {
  title: 'Animal Store',
  pageTitle: (screen: string) => `${screen} – Animal Store`,
  loading: 'Loading…',
  tryAgain: 'Try again',
  /** Before the reason why a list could not be read again. */
  mayBeOld: 'This may not be up to date.',
  screenNotLoaded: 'This screen is not available',
  notLoaded: 'A part of the page could not be loaded. Check the connection, and try again.',
  reloaded: 'The page was loaded again, because the server was upgraded. Repeat the last action.',
  /** Keys of actions, on the row that has the focus. */
  letters: { edit: 'E', delete: 'D' },
  actionOn: (action: string, record: string) => `${action} ${record}`,
  close: 'Close',
  cancel: 'Cancel',
  dismiss: 'Dismiss',
  edit: 'Edit',
  more: 'More',
  moreFor: (record: string) => `More for ${record}`,
  delete: 'Delete',
  deleteWithQuestion: 'Delete…',
  save: 'Save',
  saving: 'Saving…',
  saved: (record: string) => `${record} was saved.`,
  deleted: (record: string) => `${record} was deleted.`,
  number: 'Number',
  name: 'Name',
  category: 'Category',
  status: 'Status',
  actions: 'Actions',
  all: 'All',
  count: (count: number | undefined) => (count === undefined ? '' : ` ${localCount(count)}`),
  unsaved: 'Your changes are not saved. Cancel again to discard them.',
  mayClose: 'You can close this dialog. A message will show the result.',
  unanswered:
    'The server may have done this. Until it has answered, the input stays as it is: nothing is done twice.',
  slow: 'This takes longer than usual.',
  slowRetry: 'The server is slow. The page retries, and nothing is done twice.',
  select: 'Select',
  selectAll: 'Select all',
  found: countRecords,
  showMore: 'Show more',
  showNew: (kind: ListedKind, count: number) => pluralize(count, newRecords[kind]),
};

/** The list of a field in which the user types to find an option. */
export const comboboxTexts = {
  found: (count: number) =>
    count === 0 ? 'Nothing matches.' : pluralize(count, { one: '# match', other: '# matches' }),
  searching: 'Searching…',
  more: (count: number) => `${localCount(count)} more. Type to find them.`,
};

/** What is shown if the console did not start. */
export const startTexts = {
  notStarted: 'The console could not be loaded. Load the page again.',
};

/** The choice between what the user entered and what the record is now. */
export const conflictTexts = {
  mine: 'Yours',
  theirs: 'Now',
  takeTheirs: 'Discard mine, and edit again',
  saveMine: 'Save mine',
};

/** The header, the navigation and the frame of each screen. */
export const frame = {
  titles: {
    animals: 'Animals',
    orders: 'Orders',
    categories: 'Categories',
    import: 'Import',
    history: 'History',
    webhooks: 'Webhooks',
    keys: 'Keys',
    sessions: 'Sessions',
  },
  screens: 'Screens',
  skip: 'Skip to the content',
  importing: 'Importing…',
  settings: 'Settings',
  owner: 'Signed in as owner',
  signedInWith: (key: string) => `Signed in with the key ${isolate(key)}`,
  compact: 'Compact rows',
  api: 'API documentation',
  signOut: 'Sign out',
  notAllowed: 'Your key does not have access to this screen.',
  environments: { production: 'Production', staging: 'Staging: for tests' },
  connections: {
    connecting: 'Connecting…',
    live: 'Live',
    slow: 'Waiting for the server…',
    lost: 'No connection: trying again',
    off: 'Changes by others are not shown at once',
  },
  reload: 'Reload',
  stopImport: {
    title: 'Stop the import?',
    hint: 'To continue the import, choose the same file again.',
    yes: 'Stop the import',
  },
};
