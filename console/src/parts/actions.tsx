import { common } from '../texts/common.ts';
import { Button } from './controls.tsx';
import { Icon } from './icon.tsx';
import { MenuButton } from './menu.tsx';

/** What can be done with a record. Its label is the text with the name of the record, unless given. */
export interface RowAction {
  readonly text: string;
  readonly label?: string;
  /** The key that runs it, on the row that has the focus. */
  readonly letter?: string;
  /** The main action is in sight in its row, and the edit is a pencil there. The others are in a menu. */
  readonly is?: 'main' | 'edit';
  readonly run: () => void;
}

interface ActionsProps {
  /** The name of the record. */
  readonly of: string;
  readonly actions: readonly RowAction[];
}

/** The actions of a row: the main one, the edit, and a menu with all others. */
export function RowActions({
  of,
  actions,
  tabIndex,
}: ActionsProps & { readonly tabIndex: number }) {
  const others = actions.filter(({ is }) => is === undefined);
  const edit = actions.find(({ is }) => is === 'edit');
  const main = actions.find(({ is }) => is === 'main');
  return (
    <>
      {/* Hidden until the row is used, it leaves no gap before the main action. */}
      {edit && (
        <Button
          kind="icon"
          class="button icon edit"
          label={labelOf(edit, of)}
          title={edit.text}
          tabIndex={tabIndex}
          onClick={edit.run}
        >
          <Icon name="edit" />
        </Button>
      )}
      {main && (
        <Button
          // Another action is another button, which has not the focus of this one.
          key={main.text}
          kind="row"
          label={labelOf(main, of)}
          tabIndex={tabIndex}
          onClick={main.run}
        >
          {main.text}
        </Button>
      )}
      {others.length > 0 && <MoreActions of={of} actions={others} tabIndex={tabIndex} />}
    </>
  );
}

/** A button that opens a menu of actions. */
export function MoreActions({
  of,
  actions,
  tabIndex,
}: ActionsProps & { readonly tabIndex?: number }) {
  const label = common.moreFor(of);
  return (
    <MenuButton
      kind="icon"
      name={label}
      label={label}
      title={common.more}
      tabIndex={tabIndex}
      items={actions.map((action) => ({
        text: action.text,
        letter: action.letter,
        label: labelOf(action, of),
        run: action.run,
      }))}
    >
      <Icon name="more" />
    </MenuButton>
  );
}

/** The actions of a page: the first two and the edit are buttons, the others are in a menu. */
export function PageActions({ of, actions }: ActionsProps) {
  const inSight = actions.filter(({ is }, index) => is !== undefined || index < 2);
  const others = actions.filter((action) => !inSight.includes(action));
  return (
    <>
      {inSight.map((action) => (
        <Button
          key={action.text}
          kind={action.is === 'main' ? 'main' : 'plain'}
          label={labelOf(action, of)}
          onClick={action.run}
        >
          {action.text}
        </Button>
      ))}
      {others.length > 0 && <MoreActions of={of} actions={others} />}
    </>
  );
}

function labelOf({ text, label }: RowAction, of: string): string {
  return label ?? common.actionOn(text, of);
}
