import type { ComponentChildren } from 'preact';
import type { Pet } from '../../../client/src/contract.ts';
import { type Draft, draftOf, members, showMember } from '../animals/members.ts';
import { categoryNames } from '../categories/categories-state.ts';
import { Status } from '../parts/display.tsx';
import { addressOf } from '../route.ts';
import { texts } from '../texts/animal.ts';
import { common } from '../texts/common.ts';

/** The members of an animal. Its name is the title of the page. */
export function Details({ pet }: { readonly pet: Pet }) {
  return (
    <section aria-label={texts.members}>
      <dl class="facts">
        {members
          .filter(({ name }) => name !== 'name')
          .map((member) => (
            <div key={member.name}>
              <dt>{common[member.name]}</dt>
              <dd>{show(pet, member.name, showMember(member, draftOf(pet), categoryNames))}</dd>
            </div>
          ))}
      </dl>
    </section>
  );
}

function show(pet: Pet, member: keyof Draft, text: string): ComponentChildren {
  if (member === 'status') return <Status status={pet.status} />;
  if (member !== 'category') return <bdi>{text}</bdi>;
  const address = addressOf('animals', { category: String(pet.categoryId) });
  return (
    <a href={address}>
      <bdi>{text}</bdi>
    </a>
  );
}
