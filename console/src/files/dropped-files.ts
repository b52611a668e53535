const hasFiles = ({ dataTransfer }: DragEvent) => dataTransfer?.types.includes('Files') === true;

/** Browsers leave the page for a file that is dropped on it. Returns what ends this. */
export function refuseFiles(): () => void {
  function refuse(event: DragEvent): void {
    // Where files are taken, this was prevented already.
    if (event.defaultPrevented || !hasFiles(event)) return;
    event.preventDefault();
    if (event.dataTransfer !== null) event.dataTransfer.dropEffect = 'none';
  }
  addEventListener('dragover', refuse);
  addEventListener('drop', refuse);
  return () => {
    removeEventListener('dragover', refuse);
    removeEventListener('drop', refuse);
  };
}

/** Takes files that are dropped anywhere on the page. `onOver` runs when they arrive and leave. Returns what ends this. */
export function takeFiles(
  onDrop: (files: Iterable<File>) => void,
  onOver: (isOver: boolean) => void,
): () => void {
  function over(event: DragEvent): void {
    if (!hasFiles(event)) return;
    event.preventDefault();
    onOver(true);
  }
  function drop(event: DragEvent): void {
    if (!hasFiles(event)) return;
    event.preventDefault();
    onOver(false);
    onDrop(event.dataTransfer?.files ?? []);
  }
  const leave = () => onOver(false);
  document.addEventListener('dragover', over);
  document.addEventListener('dragleave', leave);
  document.addEventListener('drop', drop);
  return () => {
    document.removeEventListener('dragover', over);
    document.removeEventListener('dragleave', leave);
    document.removeEventListener('drop', drop);
  };
}
