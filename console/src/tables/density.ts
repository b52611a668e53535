import { signal } from '@preact/signals';

/** How much room the rows of a table have for a pointer. Fingers need theirs. */
export type Density = 'comfortable' | 'compact';

const key = 'animal-store density';

export const density = signal<Density>(readDensity());

function readDensity(): Density {
  try {
    return localStorage.getItem(key) === 'compact' ? 'compact' : 'comfortable';
  } catch {
    return 'comfortable';
  }
}

/** This browser keeps the choice. */
export function chooseDensity(chosen: Density): void {
  density.value = chosen;
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // A browser that stores nothing has the choice until the page is loaded again.
  }
}
