import { Animals } from '../animals/animals.tsx';
import { route } from '../route.ts';
import { texts } from '../texts/animal.ts';
import { AnimalPage } from './animal-page.tsx';
import { NoAnimal } from './no-animal.tsx';

/** The list of animals, or the page of one. */
export function AnimalScreen() {
  const { record, recordId } = route.value;
  if (record === undefined) return <Animals />;
  if (recordId === undefined) return <NoAnimal title={texts.noNumber(record)} />;
  return <AnimalPage key={record} id={recordId} />;
}
