import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { signIn } from '../api/session.ts';
import { useAction } from '../parts/action.ts';
import { Button, Fault, Field, Form } from '../parts/controls.tsx';
import { findLinkToken } from '../route.ts';
import { common } from '../texts/common.ts';
import { texts } from '../texts/session.ts';

/** One field for a key or a link. The page exchanges it for a session, and forgets it. */
export function SignIn(props: {
  readonly notice: string | undefined;
  readonly title?: string;
  readonly titleId?: string;
  readonly children?: ComponentChildren;
}) {
  const { notice, title = texts.title, titleId, children } = props;
  const secret = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const signInAction = useAction(async () => {
    const text = secret.peek().trim();
    if (text === '') throw new Error(texts.secretFault);
    const link = findLinkToken(text);
    await signIn(link === undefined ? { apiKey: text } : { link });
  });
  return (
    <main class="sign-in">
      <h1 id={titleId} tabIndex={-1}>
        {title}
      </h1>
      {children !== undefined && <p>{children}</p>}
      {notice !== undefined && <p role="status">{notice}</p>}
      {isSecureContext ? (
        <Form action={signInAction}>
          <Field label={texts.secret}>
            {(attributes) => (
              // Not of the type password: browsers offer to store those, also with autocomplete off. The style masks it.
              <input
                {...attributes}
                ref={field}
                type="text"
                class="masked"
                autocomplete="off"
                autocapitalize="off"
                spellcheck={false}
                value={secret.value}
                onInput={(event) => {
                  secret.value = event.currentTarget.value;
                }}
              />
            )}
          </Field>
          <Fault message={signInAction.fault} />
          <Button kind="main" type="submit" disabled={signInAction.isRunning}>
            {signInAction.isRunning ? texts.signingIn : texts.signIn}
          </Button>
        </Form>
      ) : (
        notice === undefined && <p role="alert">{texts.needsHttps}</p>
      )}
      <p class="hint">{texts.keyHint}</p>
      <p class="hint">{texts.linkHint}</p>
      <pre>{texts.linkCommand}</pre>
      <p class="hint">
        {texts.sourcesHint} <code>{texts.sourcesCommand}</code>
      </p>
    </main>
  );
}

/**
 * Replaces a page whose session has ended, until the next sign-in. The page is hidden and not removed, so that its owner
 * gets back the input. This is a modal dialog, because an open dialog of the page would make it inert.
 */
export function LockScreen({ fault }: { readonly fault: string | undefined }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const focused = document.activeElement;
    const { title } = document;
    document.title = common.pageTitle(texts.endedTitle);
    element.current?.showModal();
    element.current?.querySelector('input')?.focus();
    return () => {
      document.title = title;
      queueMicrotask(() => {
        if (focused instanceof HTMLElement && focused.isConnected) focused.focus();
      });
    };
  }, []);
  return (
    <dialog
      ref={element}
      class="lock-screen"
      aria-labelledby="lock-title"
      onCancel={(event) => event.preventDefault()}
      // Browsers close a dialog at the second Escape, even if the first was prevented.
      onClose={() => element.current?.showModal()}
    >
      <SignIn titleId="lock-title" title={texts.ended} notice={fault}>
        {texts.endedHint}
      </SignIn>
    </dialog>
  );
}
