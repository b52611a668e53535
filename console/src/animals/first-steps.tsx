import { hasScope, session } from '../api/session.ts';
import { Button } from '../parts/controls.tsx';
import { addressOf } from '../route.ts';
import { firstStepTexts } from '../texts/animals.ts';

/** What a shop without animals sees. */
export function FirstSteps({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <div class="empty first-steps">
      <h2>{firstStepTexts.title}</h2>
      <p>{firstStepTexts.hint}</p>
      {hasScope('pets:write') ? (
        <ul>
          <li>
            <Button kind="main" onClick={onAdd}>
              {firstStepTexts.add}
            </Button>
            <p>{firstStepTexts.addHint}</p>
          </li>
          <li>
            <a class="button plain" href={addressOf('import')}>
              {firstStepTexts.import}
            </a>
            <p>{firstStepTexts.importHint}</p>
          </li>
          {session.value?.kind === 'owner' && (
            <li>
              <a class="button plain" href={addressOf('keys')}>
                {firstStepTexts.createKey}
              </a>
              <p>{firstStepTexts.createKeyHint}</p>
            </li>
          )}
        </ul>
      ) : (
        <p>{firstStepTexts.readOnly}</p>
      )}
    </div>
  );
}
