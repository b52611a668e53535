import { verbs } from './changes.ts';
import { countRecords, localCount } from './local-count.ts';

/** The screen with the last changes. */
export const texts = {
  readFailed: 'The history cannot be read',
  none: 'Nothing has changed yet',
  noneOfKind: 'No such changes',
  noneHint: 'Every change to animals, orders and categories appears here.',
  toAnimals: 'Go to the animals',
  kinds: 'Kind of change',
  kindNames: { pet: 'Animals', order: 'Orders', category: 'Categories' },
  /** A rare kind is searched for in parts of the feed. */
  noneFound: 'The newest changes have none of this kind.',
  showMore: (count: number) => `Show ${localCount(count)} more`,
  /** What happened to many records. Older events may belong to it. */
  many: (kind: string, count: number, mayContinue: boolean, verb: keyof typeof verbs | undefined) =>
    `${countRecords(kind, count, mayContinue)} ${verb === undefined ? '' : verbs[verb].many}`,
};
