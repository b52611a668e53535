import { Button } from '../parts/controls.tsx';
import { texts } from '../texts/categories.ts';
import { common } from '../texts/common.ts';
import { categoryList } from './categories-state.ts';

/** Says that categories could not be read, where one can be chosen. */
export function CategoriesFault() {
  if (categoryList.state.value !== 'failed') return null;
  return (
    <div role="alert" class="fault">
      <p>{texts.readFailed(categoryList.message.value)}</p>
      <Button onClick={categoryList.retry}>{common.tryAgain}</Button>
    </div>
  );
}
