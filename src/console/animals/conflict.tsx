import type { Pet } from '../../../client/src/contract.ts';
import { categoryNames } from '../categories/categories-state.ts';
import { Button } from '../parts/controls.tsx';
import { ShortTable } from '../parts/display.tsx';
import { formTexts as texts } from '../texts/animals.ts';
import { type Draft, draftOf, members, showMember } from './members.ts';

/** The version of the form and the current one. The user chooses one of them. */
export function Conflict(props: {
  readonly mine: Draft;
  readonly theirs: Pet;
  readonly onMine: (now: Pet) => void;
  readonly onTheirs: (now: Pet) => void;
}) {
  const { mine, theirs, onMine, onTheirs } = props;
  const now = draftOf(theirs);
  return (
    <>
      <p role="alert">{texts.conflict}</p>
      <ShortTable class="comparison" columns={['', texts.mine, texts.theirs]}>
        {members.map((member) => (
          <tr key={member.name} class={member.textOf(mine) === member.textOf(now) ? '' : 'differs'}>
            <th scope="row">{member.label}</th>
            <td>{showMember(member, mine, categoryNames)}</td>
            <td>{showMember(member, now, categoryNames)}</td>
          </tr>
        ))}
      </ShortTable>
      <footer>
        <Button onClick={() => onTheirs(theirs)}>{texts.takeTheirs}</Button>
        <Button kind="main" onClick={() => onMine(theirs)}>
          {texts.saveMine}
        </Button>
      </footer>
    </>
  );
}
