import { useSignal } from '@preact/signals';
import { useId, useRef } from 'preact/hooks';
import { callConsole, type Session } from '../api/session.ts';
import { texts } from '../texts/session.ts';

interface ChooserProps {
  readonly session: Session;
  readonly onChoose: (workspace: string) => void;
}

/** The workspace of the page. An owner can choose another. */
export function WorkspaceChooser({ session, onChoose }: ChooserProps) {
  const { workspace, workspaces = [], hasMoreWorkspaces = false } = session;
  if (hasMoreWorkspaces) return <SearchWorkspace session={session} onChoose={onChoose} />;
  if (workspaces.length > 1) {
    return (
      <select
        aria-label={texts.workspace}
        value={workspace}
        onChange={({ currentTarget }) => {
          const wanted = currentTarget.value;
          currentTarget.value = workspace;
          onChoose(wanted);
        }}
      >
        {workspaces.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    );
  }
  return workspace === 'default' ? null : <span class="workspace">{workspace}</span>;
}

/** Suggests workspaces by the beginning of a name, because a list cannot show all of them. */
function SearchWorkspace({ session: { workspace, workspaces = [] }, onChoose }: ChooserProps) {
  const listId = useId();
  const found = useSignal(workspaces);
  const prefix = useRef('');

  async function search(text: string): Promise<void> {
    prefix.current = text;
    try {
      const query = { prefix: text === '' ? undefined : text };
      const answer = await callConsole('findWorkspaces', { query });
      if (prefix.current === text) found.value = answer.workspaces;
    } catch {
      // These are suggestions: a name can be typed without them.
    }
  }

  return (
    <>
      <input
        type="text"
        size={14}
        aria-label={texts.workspace}
        list={listId}
        defaultValue={workspace}
        autocomplete="off"
        spellcheck={false}
        onFocus={({ currentTarget }) => currentTarget.select()}
        onInput={({ currentTarget }) => void search(currentTarget.value.trim())}
        onChange={({ currentTarget }) => {
          const wanted = currentTarget.value.trim();
          currentTarget.value = workspace;
          if (wanted !== '' && wanted !== workspace) onChoose(wanted);
        }}
      />
      <datalist id={listId}>
        {found.value.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
    </>
  );
}
