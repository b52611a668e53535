import { Button } from '../parts/parts.tsx';
import { addressOf } from '../parts/url-state.ts';
import { may, session } from '../session/session.ts';

/** What a shop sees that has no animal yet. */
export function FirstSteps({ onAdd }: { readonly onAdd: () => void }) {
  return (
    <div class="empty first-steps">
      <h2>No animals yet</h2>
      <p>The animals appear here, with the status available, pending or sold.</p>
      {may('pets:write') ? (
        <ul>
          <li>
            <Button kind="main" onClick={onAdd}>
              Add the first animal
            </Button>
            <p>A name and a category are enough.</p>
          </li>
          <li>
            <a class="button plain" href={addressOf('import')}>
              Import a spreadsheet
            </a>
            <p>Save it as CSV. You see what will be added before anything is.</p>
          </li>
          {session.value?.kind === 'owner' && (
            <li>
              <a class="button plain" href={addressOf('keys')}>
                Create a key for your website
              </a>
              <p>With it, a program reads and changes the same animals.</p>
            </li>
          )}
        </ul>
      ) : (
        <p>The key that you signed in with may look, but add nothing.</p>
      )}
    </div>
  );
}
