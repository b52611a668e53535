import { useSignal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import { useEffect } from 'preact/hooks';
import { connection } from '../api/announce.ts';
import { messageOf } from '../api/service.ts';
import { later } from '../loading/later.ts';
import { Failed, Loading } from '../parts/display.tsx';
import { common } from '../texts/common.ts';

/** A screen that is loaded when it is opened. */
export function laterScreen(read: () => Promise<FunctionComponent>): FunctionComponent {
  const screen = later(read);
  return () => {
    const fault = useSignal<string | undefined>(undefined);
    function load(): void {
      fault.value = undefined;
      screen.load().catch((error) => {
        fault.value = messageOf(error);
      });
    }
    useEffect(load, []);
    useEffect(
      () =>
        connection.subscribe((state) => {
          if (state === 'live' && fault.peek() !== undefined) load();
        }),
      [],
    );
    const Show = screen.value;
    if (Show !== undefined) return <Show />;
    if (fault.value === undefined) return <Loading />;
    return <Failed title={common.screenNotLoaded} message={fault.value} onRetry={load} />;
  };
}
