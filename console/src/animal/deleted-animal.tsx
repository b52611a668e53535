import { useMemo } from 'preact/hooks';
import type { Pet } from '../../../client/src/contract.ts';
import { undoDeletion } from '../animals/undo-animal.ts';
import { newIdempotencyKey } from '../api/service.ts';
import { hasScope } from '../api/session.ts';
import { useAction } from '../parts/action.ts';
import { Button, Fault } from '../parts/controls.tsx';
import { showNotice } from '../parts/notices.tsx';
import { texts } from '../texts/animal.ts';

/** What the page of a deleted animal offers: another one with its last values. */
export function DeletedAnimal({ pet }: { readonly pet: Pet }) {
  const idempotencyKey = useMemo(newIdempotencyKey, []);
  const add = useAction(async () => showNotice(await undoDeletion(pet)(idempotencyKey)));
  return (
    <>
      <p role="status">{texts.deleted}</p>
      {hasScope('pets:write') && (
        <div class="actions">
          <Button aria-disabled={add.isRunning} onClick={add.run}>
            {texts.addAgain}
          </Button>
          <p class="hint">{texts.addAgainHint}</p>
        </div>
      )}
      <Fault message={add.fault} />
    </>
  );
}
