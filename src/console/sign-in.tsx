import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { useAction } from './action.ts';
import { Button, Fault, Field, Form } from './parts.tsx';
import { needsHttps, signIn } from './session.ts';

/** On the machine of the server, the port is that of the page. */
const isHere = location.protocol === 'http:' && location.port !== '' && location.port !== '8080';
const command = `npm run -s animal-store -- console${isHere ? ` --port ${location.port}` : ''}`;

/** The one field of those who came without a link. What is pasted is exchanged for a session, and forgotten. */
export function SignIn({ notice }: { readonly notice: string | undefined }) {
  const apiKey = useSignal('');
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus(), []);
  const enter = useAction(async () => {
    if (apiKey.peek().trim() === '') throw new Error('Paste an API key.');
    await signIn({ apiKey: apiKey.peek().trim() });
  });
  return (
    <main class="sign-in">
      <h1 tabIndex={-1}>Animal Store</h1>
      {notice !== undefined && <p role="status">{notice}</p>}
      {isSecureContext ? (
        <Form action={enter}>
          <Field label="API key">
            {(attributes) => (
              <input
                {...attributes}
                ref={field}
                type="password"
                autocomplete="current-password"
                value={apiKey.value}
                onInput={(event) => {
                  apiKey.value = event.currentTarget.value;
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
      <p class="hint">A key begins with anst_, and comes from whoever runs the server.</p>
      <p class="hint">
        You run it? This command prints a link that signs you in once, as the owner, who also
        manages keys:
      </p>
      <pre>{command}</pre>
    </main>
  );
}
