import { useLayoutEffect, useRef } from 'preact/hooks';
import { common } from '../texts/common.ts';
import { texts } from '../texts/session.ts';
import { SignIn } from './sign-in.tsx';

/**
 * Replaces a page whose session has ended, until the next sign-in. The page is hidden and not removed, so that its owner
 * gets back the input. The cover is a modal dialog, because an open dialog of the page would make it inert.
 */
export function Cover({ fault }: { readonly fault: string | undefined }) {
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
      class="cover"
      aria-labelledby="cover-title"
      onCancel={(event) => event.preventDefault()}
      // Browsers close a dialog at the second Escape, even if the first was prevented.
      onClose={() => element.current?.showModal()}
    >
      <SignIn titleId="cover-title" title={texts.ended} notice={fault}>
        {texts.endedHint}
      </SignIn>
    </dialog>
  );
}
