import { useSignal } from '@preact/signals';
import { useEffect, useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { listen } from '../api/live.ts';
import { createReplay } from '../api/replay.ts';
import { messageOf } from '../api/service.ts';
import { currentApi } from '../api/session.ts';

type AnimalState =
  | { readonly is: 'loading' }
  | { readonly is: 'failed'; readonly message: string }
  | { readonly is: 'found'; readonly pet: Pet }
  /** `last` is the animal before this page saw its deletion. */
  | { readonly is: 'absent'; readonly last?: Pet };

/** One animal, kept up to date by events. */
export function useAnimal(id: bigint) {
  const state = useSignal<AnimalState>({ is: 'loading' });
  const replay = useMemo(createReplay, []);

  async function load(): Promise<void> {
    const recording = replay.record();
    try {
      const [pet] = await currentApi()
        .pets.list({ ids: [id] })
        .toArray({ max: 1 });
      if (pet !== undefined) state.value = { is: 'found', pet };
      else if (state.peek().is !== 'absent') state.value = { is: 'absent' };
      recording.applyAgain();
    } catch (error) {
      // An animal that is shown already stays.
      if (state.peek().is === 'loading') state.value = { is: 'failed', message: messageOf(error) };
    } finally {
      recording.stop();
    }
  }

  useEffect(() => {
    void load();
    return listen((update) => {
      if (update === 'reset') return void load();
      const { type, data } = update.event;
      if (type !== 'pet.created' && type !== 'pet.updated' && type !== 'pet.deleted') return;
      if (data.id !== id) return;
      replay.apply(() => {
        state.value =
          type === 'pet.deleted' ? { is: 'absent', last: data } : { is: 'found', pet: data };
      });
    });
  }, []);

  return {
    state: state.value,
    load(): void {
      state.value = { is: 'loading' };
      void load();
    },
  };
}
