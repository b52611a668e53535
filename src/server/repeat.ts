/**
 * Does something again and again until it is disposed of. The rest between begins where the work ends, so that slow work
 * never runs beside itself. The work is not to fail.
 */
export function repeat(restMilliseconds: number, work: () => Promise<void>): Disposable {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout>;

  function rest(): void {
    if (!isOver) timer = setTimeout(() => work().then(rest), restMilliseconds);
  }

  rest();
  return {
    [Symbol.dispose]() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}
