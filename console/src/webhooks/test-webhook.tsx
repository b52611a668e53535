import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Webhook, WebhookTest } from '../../../client/src/contract.ts';
import { currentApi } from '../api/session.ts';
import { useAction, useUnmounted } from '../parts/action.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { showNotice } from '../parts/notices.tsx';
import { common } from '../texts/common.ts';
import { shortName } from '../texts/short-name.ts';
import { testTexts, texts } from '../texts/webhooks.ts';
import { Attempt, describeAttempt } from './attempt.tsx';

/** Sends a test at once, and shows the answer of the endpoint. */
export function TestWebhook({ webhook: { id, url } }: { readonly webhook: Webhook }) {
  const result = useSignal<WebhookTest | undefined>(undefined);
  const unmounted = useUnmounted();
  const action = useAction(async () => {
    result.value = undefined;
    const answer = await currentApi().webhooks.test(id);
    if (unmounted.aborted) showNotice(testTexts.result(texts.title(id), describeAttempt(answer)));
    else result.value = answer;
  });
  useEffect(action.run, []);
  return (
    <FormDialog
      title={common.actionOn(testTexts.action, shortName(url))}
      action={action}
      submit={testTexts.again}
      submitting={testTexts.running}
      cancel={common.close}
      focus="submit"
    >
      <p>{testTexts.hint}</p>
      <div role="status">{result.value && <Attempt attempt={result.value} />}</div>
    </FormDialog>
  );
}
