import type { WebhookTest } from '../../../client/src/contract.ts';
import { isDelivered } from '../../../src/domain/webhook.ts';
import { attemptErrors, deliveryTexts as texts } from '../texts/webhooks.ts';

type Answer = Omit<WebhookTest, 'delivered'>;

/** What the endpoint answered, or why it did not, and how long it took. */
export function describeAttempt({ httpStatus, error, milliseconds }: Answer): string {
  const facts = [
    httpStatus === undefined ? [] : texts.answer(httpStatus),
    error === undefined ? [] : (attemptErrors[error] ?? error),
    texts.milliseconds(milliseconds),
  ];
  return facts.flat().join(', ');
}

export function Attempt({ attempt }: { readonly attempt: Answer }) {
  const { responseExcerpt = '' } = attempt;
  return (
    <>
      <p class={`status ${isDelivered(attempt) ? 'enabled' : 'failing'}`}>
        {describeAttempt(attempt)}
      </p>
      {responseExcerpt !== '' && (
        <details>
          <summary>{texts.excerpt}</summary>
          <pre dir="auto">{responseExcerpt}</pre>
        </details>
      )}
    </>
  );
}
