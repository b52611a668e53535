import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAction } from '../parts/action.ts';
import { Button, Fault, Field, Form } from '../parts/parts.tsx';
import { findLinkToken } from '../parts/url-state.ts';
import { needsHttps, signIn } from './session.ts';

/** On the machine of the server, the port is that of the page. */
const isHere = location.protocol === 'http:' && location.port !== '' && location.port !== '8080';
const command = `animal-store console${isHere ? ` --port ${location.port}` : ''}`;

interface SignInProps {
  readonly notice: string | undefined;
  readonly title?: string;
  readonly titleId?: string;
  readonly children?: ComponentChildren;
}

/** One field for a key or a link. What is pasted is exchanged for a session, and forgotten. */
export function SignIn({ notice, title = 'Animal Store', titleId, children }: SignInProps) {
  const secret = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const enter = useAction(async () => {
    const text = secret.peek().trim();
    if (text === '') throw new Error('Paste an API key or a link.');
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
        <Form action={enter}>
          <Field label="API key or link">
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
          <Fault message={enter.fault} />
          <Button kind="main" type="submit" disabled={enter.isRunning}>
            {enter.isRunning ? 'Signing in…' : 'Sign in'}
          </Button>
        </Form>
      ) : (
        notice === undefined && <p role="alert">{needsHttps}</p>
      )}
      <p class="hint">A key begins with anst_. The operator of the server has it.</p>
      <p class="hint">
        Operators sign in with a link. It works once, makes you the owner, and lets you manage keys.
        This command prints one:
      </p>
      <pre>{command}</pre>
      <p class="hint">
        Run it where the server runs. The page “The console” of the documentation (docs/console.md)
        has the command for containers, services and source checkouts.
      </p>
    </main>
  );
}
