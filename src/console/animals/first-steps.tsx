import { Button } from '../parts/controls.tsx';
import { addressOf } from '../parts/url-state.ts';
import { may, session } from '../session/session.ts';
import { firstStepTexts as texts } from '../texts/animals.ts';

/** What a shop without animals sees. */
export function FirstSteps({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <div class="empty first-steps">
      <h2>{texts.title}</h2>
      <p>{texts.hint}</p>
      {may('pets:write') ? (
        <ul>
          <li>
            <Button kind="main" onClick={onAdd}>
              {texts.add}
            </Button>
            <p>{texts.addHint}</p>
          </li>
          <li>
            <a class="button plain" href={addressOf('import')}>
              {texts.import}
            </a>
            <p>{texts.importHint}</p>
          </li>
          {session.value?.kind === 'owner' && (
            <li>
              <a class="button plain" href={addressOf('keys')}>
                {texts.createKey}
              </a>
              <p>{texts.createKeyHint}</p>
            </li>
          )}
        </ul>
      ) : (
        <p>{texts.readOnly}</p>
      )}
    </div>
  );
}
