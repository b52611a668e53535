import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The oldest versions that docs/console.md and client/README.md name. */
const oldest = { chrome: 109, edge: 109, firefox: 115, safari: 15.4, safari_ios: 15.4 } as const;

interface Support {
  readonly version_added: string | boolean | null;
  readonly version_removed?: string | boolean | null;
  readonly flags?: readonly unknown[];
}

/** A feature of https://github.com/mdn/browser-compat-data. Its members are features too. */
interface Feature {
  readonly __compat?: {
    readonly support: Readonly<Record<string, Support | readonly Support[] | undefined>>;
  };
}

const root = join(import.meta.dir, '..');
const data = createRequire(import.meta.url)('@mdn/browser-compat-data') as {
  readonly api: Readonly<Record<string, Feature>>;
  readonly javascript: { readonly builtins: Readonly<Record<string, Feature>> };
};

/** Names of members of the sources and of packages, and those of Trusted Types, which are used where they exist. */
const ownNames: ReadonlySet<string> = new Set([
  ...['actions', 'added', 'changed', 'deleted', 'forget', 'removed', 'run', 'to', 'toArray'],
  'subscribe',
  ...['createPolicy', 'createScriptURL'],
]);

function isIn(feature: Feature, browser: keyof typeof oldest): boolean {
  const found = feature.__compat?.support[browser];
  const all = found === undefined ? [] : [found].flat();
  return all.some(({ version_added: added, version_removed: removed, flags }) => {
    if (typeof added !== 'string' || removed !== undefined || flags !== undefined) return false;
    return Number.parseFloat(added.replace('≤', '')) <= oldest[browser];
  });
}

function isTooNew(feature: Feature): boolean {
  return (
    feature.__compat !== undefined &&
    Object.keys(oldest).some((browser) => !isIn(feature, browser as keyof typeof oldest))
  );
}

/** Names of members that a browser lacks in each object that has such a member, such as `toSorted`. */
function missingMembers(): ReadonlySet<string> {
  const known = new Set<string>();
  const missing = new Set<string>();
  for (const owner of [...Object.values(data.api), ...Object.values(data.javascript.builtins)]) {
    for (const [name, feature] of Object.entries(owner as Record<string, Feature>)) {
      if (!/^[a-z]\w+$/.test(name)) continue;
      const member = name.replace(/_static$|_event$/, '');
      (isTooNew(feature) ? missing : known).add(member);
    }
  }
  return new Set([...missing].filter((name) => !known.has(name) && !ownNames.has(name)));
}

/** Objects that a browser lacks, such as `Temporal`. */
function missingObjects(): readonly string[] {
  const all = { ...data.api, ...data.javascript.builtins };
  return Object.entries(all).flatMap(([name, feature]) =>
    /^[A-Z]/.test(name) && isTooNew(feature) ? [name] : [],
  );
}

/** Static members that a browser lacks, such as `AbortSignal.any`, whose names other objects have too. */
function missingStatics(): readonly string[] {
  const all = { ...data.api, ...data.javascript.builtins };
  return Object.entries(all).flatMap(([owner, features]) =>
    Object.entries(features as Record<string, Feature>).flatMap(([name, feature]) =>
      /^[a-z]\w+$/.test(name) && isTooNew(feature)
        ? [`${owner}.${name.replace(/_static$/, '')}`]
        : [],
    ),
  );
}

const files = ['client/src/**/*.ts', 'console/src/**/*.ts', 'console/src/**/*.tsx']
  .flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)])
  .filter((file) => !/\.test\.tsx?$/.test(file));

describe('client and console use nothing that a browser of the documents lacks', () => {
  const members = missingMembers();
  const statics = missingStatics();
  const objects = new Set(missingObjects());

  test('the data has functions that are newer', () => {
    expect([members.has('toSorted'), statics.includes('AbortSignal.any')]).toEqual([true, true]);
    expect(objects.has('Temporal')).toBe(true);
    expect([members.has('flatMap'), statics.includes('AbortSignal.abort')]).toEqual([false, false]);
  });

  test.each(files)('%s', (file) => {
    const text = readFileSync(join(root, file), 'utf8')
      .replaceAll(/\/\*.*?\*\/|\/\/[^\n]*/gs, '')
      .replaceAll(/'(?:[^'\\\n]|\\.)*'/g, "''");
    const used = [...text.matchAll(/(?<!\.)\.([a-z]\w*)\(/g)].map(([, name = '']) => name);
    expect(used.filter((name) => members.has(name))).toEqual([]);
    const ofObjects = [...text.matchAll(/\b([A-Z]\w+)\.([a-z]\w*)\b/g)].map(([whole]) => whole);
    expect(ofObjects.filter((name) => statics.includes(name))).toEqual([]);
    const made = [...text.matchAll(/\bnew ([A-Z]\w+)\b/g)].map(([, name = '']) => name);
    expect(made.filter((name) => objects.has(name))).toEqual([]);
  });
});
