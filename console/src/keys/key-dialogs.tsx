import { isAnimalStoreError } from '../../../client/src/error.ts';
import {
  scopes as allScopes,
  apiKeyNameLengthMax,
  type Scope,
} from '../../../src/domain/access/api-key.ts';
import { callConsole } from '../api/session.ts';
import type { CreatedKey, Key } from '../contract.ts';
import { CheckList, SelectField, TextField } from '../parts/controls.tsx';
import { FormDialog, useForm } from '../parts/dialog.tsx';
import { ReplaceSecret } from '../parts/secret.tsx';
import { common } from '../texts/common.ts';
import { texts } from '../texts/keys.ts';
import { shortName } from '../texts/short-name.ts';

const lostCodes = ['connection_failed', 'timed_out', 'outcome_unknown'] as const;

/** Adds that a key may exist whose secret is lost with the answer. Such a call is not retried. */
function explainLostKey(call: Promise<CreatedKey>): Promise<CreatedKey> {
  return call.catch((error) => {
    const isLost = lostCodes.some((code) => isAnimalStoreError(error, code));
    throw isLost ? new Error(texts.outcomeUnknown) : error;
  });
}

interface NewKeyProps {
  readonly onCreated: (key: CreatedKey) => void;
}

interface Draft {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Days until the key expires; empty for never. */
  readonly days: string;
  /** Requests of the rate limit; empty for that of the server. */
  readonly requests: string;
  /** The time of the rate limit. */
  readonly per: string;
}

/** Empty for the limit of the server. */
const isRateCount = (text: string) => /^([1-9]\d{0,8})?$/.test(text.trim());

export function CreateKey({ onCreated }: NewKeyProps) {
  const form = useForm<Draft>(
    { name: '', scopes: ['pets:read'], days: '', requests: '', per: 'min' },
    ({ name, scopes, requests }) => ({
      name: name.trim() === '' ? texts.nameFault : undefined,
      scopes: scopes.length === 0 ? texts.scopesFault : undefined,
      requests: isRateCount(requests) ? undefined : texts.requestsFault,
    }),
    async ({ name, scopes, days, requests, per }) => {
      const expiresInDays = days === '' ? undefined : Number(days);
      const rateLimit = requests.trim() === '' ? undefined : `${requests.trim()}/${per}`;
      const body = { name: name.trim(), scopes, expiresInDays, rateLimit };
      onCreated(await explainLostKey(callConsole('createKey', { body })));
    },
  );
  const { scopes, days, per } = form.draft.value;
  return (
    <FormDialog
      title={texts.create}
      action={form.action}
      submit={texts.createSubmit}
      fault={form.faults.scopes}
      isDirty={form.isDirty}
      mustWait
    >
      <TextField
        label={common.name}
        {...form.field('name')}
        hint={texts.nameHint}
        maxLength={apiKeyNameLengthMax}
        autofocus
        required
      />
      <CheckList
        label={texts.permissions}
        options={allScopes.map((scope) => [scope, texts.scopes[scope]])}
        chosen={scopes}
        onChoose={form.field('scopes').onInput}
      />
      {scopes.some((scope) => scope.endsWith(':write')) && (
        <p class="question">{texts.writeWarning}</p>
      )}
      <SelectField
        label={texts.expires}
        value={days}
        options={[['', texts.expiresNever], ...Object.entries(texts.expiresIn)]}
        onSelect={form.field('days').onInput}
      />
      <div class="pair">
        <TextField
          label={texts.requests}
          {...form.field('requests')}
          hint={texts.requestsHint}
          maxLength={9}
          isNumber
        />
        <SelectField
          label={texts.per}
          value={per}
          options={Object.entries(texts.pers)}
          onSelect={form.field('per').onInput}
        />
      </div>
    </FormDialog>
  );
}

export function RotateKey({ apiKey, onCreated }: NewKeyProps & { readonly apiKey: Key }) {
  const parameters = { keyId: apiKey.id };
  return (
    <ReplaceSecret
      title={common.actionOn(texts.replace, shortName(apiKey.name))}
      hint={texts.replaceHint}
      label={texts.overlap}
      replace={async (overlapSeconds) => {
        const body = { overlapSeconds };
        onCreated(await explainLostKey(callConsole('rotateKey', { parameters, body })));
      }}
    />
  );
}
