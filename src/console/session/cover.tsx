import { useLayoutEffect, useRef } from 'preact/hooks';
import { SignIn } from './sign-in.tsx';

/**
 * Takes the place of a page whose session has ended, until the next sign-in. The page is hidden and not removed, so that its owner
 * finds again what was typed. The cover is the topmost window, because an open window of the page would make it inert.
 */
export function Cover({ fault }: { readonly fault: string | undefined }) {
  const element = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const focused = document.activeElement;
    const { title } = document;
    document.title = 'Sign in – Animal Store';
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
      class="cover"
      aria-labelledby="cover-title"
      onCancel={(event) => event.preventDefault()}
      // Browsers close a window at the second Escape, even if the first was prevented.
      onClose={() => element.current?.showModal()}
    >
      <SignIn titleId="cover-title" title="Your session has ended" notice={fault}>
        Sign in again to continue. What you typed is kept until then, and is shown again only to the
        same owner or key, in the same workspace.
      </SignIn>
    </dialog>
  );
}
