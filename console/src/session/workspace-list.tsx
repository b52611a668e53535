import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { callConsole, type KnownSession } from '../api/session.ts';
import { pathOfWorkspace } from '../route.ts';
import { texts } from '../texts/session.ts';

interface WorkspaceListProps {
  readonly session: KnownSession;
  /** Undefined for a link to a page of its own. */
  readonly onCurrent?: () => void;
  readonly opensTab?: boolean;
}

/**
 * Links to the workspaces of an owner, each a page of its own. Arrow keys, Home, End and a first letter move between them, and only
 * Enter or a click decides. If there are more than the session lists, a field finds them by the beginning of the name.
 */
export function WorkspaceList({ session, onCurrent, opensTab = false }: WorkspaceListProps) {
  const { workspace, workspaces = [], hasMoreWorkspaces = false } = session;
  const found = useSignal(workspaces);
  const prefix = useRef('');

  async function search(text: string): Promise<void> {
    prefix.current = text;
    try {
      const query = { prefix: text === '' ? undefined : text };
      const answer = await callConsole('findWorkspaces', { query });
      if (prefix.current === text) found.value = answer.workspaces;
    } catch {
      // These are suggestions: Enter opens the name that was typed.
    }
  }

  return (
    <div role="none" class="workspaces" onKeyDown={moveFocus}>
      {hasMoreWorkspaces && (
        <input
          type="search"
          aria-label={texts.findWorkspace}
          placeholder={texts.findWorkspace}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => void search(currentTarget.value.trim())}
          onKeyDown={({ key, currentTarget: { value } }) => {
            if (key !== 'Enter' || value.trim() === '') return;
            open(pathOfWorkspace(value.trim()), opensTab ? '_blank' : '_self');
          }}
        />
      )}
      <ul>
        {found.value.map((name) => (
          <li key={name}>
            <a
              href={pathOfWorkspace(name)}
              target={opensTab && name !== workspace ? '_blank' : undefined}
              aria-current={name === workspace ? 'true' : undefined}
              onClick={(event) => {
                if (name !== workspace || onCurrent === undefined) return;
                event.preventDefault();
                onCurrent();
              }}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
      {found.value.length === 0 && <p role="status">{texts.noWorkspaces}</p>}
    </div>
  );
}

function moveFocus(event: KeyboardEvent & { readonly currentTarget: HTMLElement }): void {
  const { key, currentTarget, altKey, ctrlKey, metaKey } = event;
  if (altKey || ctrlKey || metaKey) return;
  const links = [...currentTarget.querySelectorAll('a')];
  const index = links.findIndex((link) => link.matches(':focus'));
  const next = nextOf(links, index, key);
  if (next === undefined) return;
  event.preventDefault();
  next.focus();
}

/** The link that a key leads to. `index` is -1 in the field. */
function nextOf(links: readonly HTMLElement[], index: number, key: string) {
  if (key === 'ArrowDown') return links[(index + 1) % links.length];
  // In the field, the other keys move the cursor.
  if (index === -1) return undefined;
  if (key === 'ArrowUp') return links.at(index - 1);
  if (key === 'Home') return links[0];
  if (key === 'End') return links.at(-1);
  if (key.length !== 1) return undefined;
  const after = [...links.slice(index + 1), ...links.slice(0, index + 1)];
  return after.find(({ innerText }) => innerText.startsWith(key.toLowerCase()));
}
