import { useMemo } from 'preact/hooks';
import type { Pet, PetStatus } from '../../../client/src/contract.ts';
import { petStatuses } from '../../../src/domain/pet.ts';
import { changeAtOnce } from '../animals/change-at-once.ts';
import { newIdempotencyKey } from '../api/service.ts';
import type { MemberChange } from '../history/changes.ts';
import { showValue } from '../history/event-text.tsx';
import { useAction } from '../parts/action.ts';
import { Button, Fault } from '../parts/controls.tsx';
import { formatTime } from '../parts/display.tsx';
import { historyTexts as texts } from '../texts/animal.ts';
import { memberLabels } from '../texts/changes.ts';

/** A member with the value that it can have again. */
export type MemberValue =
  | { readonly member: 'name'; readonly value: string }
  | { readonly member: 'categoryId'; readonly value: bigint }
  | { readonly member: 'status'; readonly value: PetStatus };

/** The value before a change, if the animal can have it again. */
export function earlierValueOf({ member, before }: MemberChange): MemberValue | undefined {
  if (member === 'name' && typeof before === 'string') return { member, value: before };
  if (member === 'categoryId' && typeof before === 'bigint') return { member, value: before };
  const status = petStatuses.find((one) => one === before);
  return member === 'status' && status !== undefined ? { member, value: status } : undefined;
}

/** Gives a member of an animal the value that it had before a change. */
export function SetBack(props: {
  readonly pet: Pet;
  readonly earlier: MemberValue;
  /** The time of the change. */
  readonly time: string;
}) {
  const { pet, earlier, time } = props;
  const { member, value } = earlier;
  // A retry after a lost answer is the same request.
  const idempotencyKey = useMemo(newIdempotencyKey, [pet]);
  const label = memberLabels[member] ?? member;
  const shown = showValue(member, value);
  const action = useAction(async () => {
    await changeAtOnce(pet, { [member]: value }, idempotencyKey, (now) =>
      texts.wasSetBack(now, label, shown),
    );
    // This button disappears, because the animal has its value.
    document.querySelector<HTMLElement>('main h1')?.focus();
  });
  return (
    <>
      <Button
        aria-disabled={action.isRunning}
        label={texts.setBackLabel(shown, label, formatTime(time, 'short'))}
        onClick={action.run}
      >
        {texts.setBack(shown)}
      </Button>
      <Fault message={action.fault} />
    </>
  );
}
