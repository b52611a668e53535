import { localCount } from './local-count.ts';

const nouns: Readonly<Record<string, string>> = {
  pet: 'animals',
  order: 'orders',
  category: 'categories',
};

/** The screen with the events. */
export const texts = {
  readFailed: 'The events cannot be read',
  none: 'No events yet',
  noneOfKind: 'No such events',
  noneHint: 'Every change to animals, orders and categories appears here.',
  kinds: 'Kind of event',
  kindNames: { pet: 'Animals', order: 'Orders', category: 'Categories' },
  /** A rare kind is searched for in parts of the feed. */
  noneFound: 'The newest events have none of this kind.',
  showMore: (count: number) => `Show ${localCount(count)} more`,
  /** With a plus if older events may belong to it. */
  countOf: (kind: string, count: number, isOpen: boolean) =>
    `${localCount(count)}${isOpen ? '+' : ''} ${nouns[kind] ?? kind}`,
} as const;
