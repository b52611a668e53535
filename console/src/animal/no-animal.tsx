import { Empty } from '../parts/display.tsx';
import { addressOf } from '../route.ts';
import { texts } from '../texts/animals.ts';

/** An address that leads to no animal. */
export function NoAnimal({ title }: { readonly title: string }) {
  return (
    <Empty title={title}>
      <p>
        <a href={addressOf('animals')}>{texts.showAll}</a>
      </p>
    </Empty>
  );
}
