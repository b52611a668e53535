import { options } from 'preact';

// Stands for `preact/compat`, which the binding of the comboboxes imports. It would change the events and attributes of the whole
// page as soon as it is loaded.

export { useLayoutEffect, useReducer } from 'preact/hooks';

/** Runs a change of state, and draws it at once. */
export function flushSync<Result>(change: () => Result): Result {
  const { debounceRendering: before } = options;
  let draw = () => {};
  options.debounceRendering = (run) => {
    draw = run;
  };
  try {
    const result = change();
    draw();
    return result;
  } finally {
    if (before === undefined) delete options.debounceRendering;
    else options.debounceRendering = before;
  }
}

// The parts of the binding that import these are not used.
export const Children = undefined;
export const createPortal = undefined;
export const useSyncExternalStore = undefined;
