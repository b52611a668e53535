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
  openQuote: '“',
  closeQuote: '”',
  quoted: (value: string) => `“${value}”`,
};

/** What happened: to a record that is named before it, to that of the page, and to many records. */
export const verbs = {
  created: { one: 'was added', alone: 'Added', many: 'were added' },
  updated: { one: 'was changed', alone: 'Changed', many: 'were changed' },
  deleted: { one: 'was deleted', alone: 'Deleted', many: 'were deleted' },
  placed: { one: 'was placed', alone: 'Placed', many: 'were placed' },
  handedOver: { one: 'was handed over', alone: 'Handed over', many: 'were handed over' },
  cancelled: { one: 'was cancelled', alone: 'Cancelled', many: 'were cancelled' },
  noteChanged: { one: 'has another note', alone: 'Another note', many: 'have another note' },
};

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
};

/** A list of events. */
export const historyTexts = {
  older: 'Show older changes',
  reading: 'Reading…',
  beginsAt: (time: string) =>
    `The server keeps events for a limited time. It has none from before ${time}.`,
};
