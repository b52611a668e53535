/** A newer server can have more reasons. */
const disabledReasons: Readonly<Record<string, string>> = {
  gone: ': its endpoint is gone',
  no_success: ': no event could be delivered for 5 days',
  events_deleted: ': events were deleted before they could be delivered',
};

/** Changes of records in words, and what caused them. */
export const texts = {
  order: (id: bigint) => `Order ${id}`,
  forAnimal: ' for ',
  category: 'Category ',
  categoryNumber: (id: bigint) => `(${id})`,
  reset: 'The data was restored from a backup. It can lack the changes before.',
  webhookDisabled: (id: bigint, reason: string) =>
    `Webhook ${id} was disabled${disabledReasons[reason] ?? ''}`,
  unknown: (type: string) => `An event that this page does not know: ${type}`,
  ofAnimal: ' of the animal',
  from: ' from ',
  to: ' to ',
  none: 'none',
  quotes: ['“', '”'],
} as const;

/** What happened: to a record that is named before it, to that of the page, and to many records. */
export const verbs = {
  created: ['was added', 'Added', 'were added'],
  updated: ['was changed', 'Changed', 'were changed'],
  deleted: ['was deleted', 'Deleted', 'were deleted'],
  placed: ['was placed', 'Placed', 'were placed'],
  handedOver: ['was handed over', 'Handed over', 'were handed over'],
  cancelled: ['was cancelled', 'Cancelled', 'were cancelled'],
  noteChanged: ['has another note', 'Another note', 'have another note'],
} as const;

/** The members of records, by their names in the API. A newer server can have more. */
export const memberLabels: Readonly<Record<string, string>> = {
  name: 'name',
  categoryId: 'category',
  status: 'status',
  shipDate: 'date',
  description: 'description',
};

export const actorTexts = {
  owner: 'owner',
  system: 'the server',
  keyNamed: (name: string) => `key “${name}”`,
  key: (id: string) => `key ${id}`,
  firstKey: 'the key of the server',
} as const;

/** A list of events. */
export const historyTexts = {
  older: 'Show older events',
  reading: 'Reading…',
  beginsAt: (time: string) =>
    `The server keeps events for a limited time. It has none from before ${time}.`,
} as const;
