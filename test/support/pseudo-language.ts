import { join } from 'node:path';
import type { BunPlugin } from 'bun';
import * as animal from '../../console/src/texts/animal.ts';
import * as animals from '../../console/src/texts/animals.ts';
import * as bulk from '../../console/src/texts/bulk.ts';
import * as categories from '../../console/src/texts/categories.ts';
import * as changes from '../../console/src/texts/changes.ts';
import * as common from '../../console/src/texts/common.ts';
import * as errors from '../../console/src/texts/errors.ts';
import * as events from '../../console/src/texts/events.ts';
import * as files from '../../console/src/texts/files.ts';
import * as imports from '../../console/src/texts/import.ts';
import * as keys from '../../console/src/texts/keys.ts';
import * as localCount from '../../console/src/texts/local-count.ts';
import * as orders from '../../console/src/texts/orders.ts';
import * as print from '../../console/src/texts/print.ts';
import * as session from '../../console/src/texts/session.ts';
import * as sessions from '../../console/src/texts/sessions.ts';
import * as shortName from '../../console/src/texts/short-name.ts';
import * as status from '../../console/src/texts/status.ts';
import * as undo from '../../console/src/texts/undo.ts';
import * as webhooks from '../../console/src/texts/webhooks.ts';
import { translate } from './pseudo-text.ts';

const english = {
  ...{ animal, animals, bulk, categories, changes, common, errors, events, files, import: imports },
  ...{ keys, 'local-count': localCount, orders, print, session, sessions },
  ...{ 'short-name': shortName, status, undo, webhooks },
};

/** The modules in the pseudo-language. This compiles only if no type of a text is its English wording. */
export const pseudoModules: typeof english = translate(english);

const texts = join(import.meta.dir, '../../console/src/texts');

/** Bundles the console with the pseudo-language. Another language would resolve to the modules of its folder. */
export const pseudoLanguage: BunPlugin = {
  name: 'pseudo-language',
  setup(build) {
    // Modules of texts import each other without the folder, and `contents` below has a whole path.
    build.onResolve({ filter: /^\..*\/texts\/[\w-]+\.ts$/ }, ({ path }) => ({
      path: path.replace(/.*\/|\.ts$/g, ''),
      namespace: 'pseudo',
    }));
    build.onLoad({ filter: /./, namespace: 'pseudo' }, ({ path: name }) => {
      const module = Object.entries(pseudoModules).find(([one]) => one === name)?.[1] ?? {};
      return {
        contents: `
          import * as english from ${JSON.stringify(join(texts, `${name}.ts`))};
          import { translate } from ${JSON.stringify(join(import.meta.dir, 'pseudo-text.ts'))};
          export const { ${Object.keys(module).join()} } = translate(english);`,
      };
    });
  },
};
