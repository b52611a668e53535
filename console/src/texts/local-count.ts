/** A number with the separators of the language. */
export const localCount = (count: number | bigint) => count.toLocaleString();

const pluralRules = new Intl.PluralRules('en');

/** A text for each form that counts have in the language of these texts. `#` is the count. */
type Forms = { readonly [Form in Intl.LDMLPluralRule]?: string } & { readonly other: string };

export function pluralize(count: number, forms: Forms): string {
  return (forms[pluralRules.select(count)] ?? forms.other).replace('#', () => localCount(count));
}

const records = {
  pet: { one: '# animal', other: '# animals' },
  order: { one: '# order', other: '# orders' },
  category: { one: '# category', other: '# categories' },
};

/** The kinds of the long lists. */
export type ListedKind = 'pet' | 'order';

/** A number of records. With a plus sign if there can be more. A newer server can have other kinds. */
export function countRecords(kind: string, count: number, hasMore = false): string {
  const known: Readonly<Record<string, Forms>> = records;
  const forms = known[kind] ?? { other: `# ${kind}` };
  return hasMore
    ? forms.other.replace('#', () => `${localCount(count)}+`)
    : pluralize(count, forms);
}
