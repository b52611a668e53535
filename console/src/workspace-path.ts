// The path of the address: the workspace that a tab shows. A proxy may add a prefix, which the page does not know.

const pathForm = /^(.*?)\/console(?:\/w\/([^/]*))?\/?$/;

/** Reads the path of a page. */
export function readPath(path: string): {
  /** Begins the paths of the service. It ends with a slash. */
  readonly root: string;
  /** As it is in the path: there may be no workspace of this name. Undefined if the path names none. */
  readonly workspace: string | undefined;
} {
  const [, prefix = '', workspace] = pathForm.exec(path) ?? [];
  return { root: `${prefix}/`, workspace: workspace === '' ? undefined : workspace };
}

/** The path of a workspace, or of the console without one. */
export function writePath(root: string, workspace: string | undefined): string {
  const console = `${root}console`;
  return workspace === undefined ? console : `${console}/w/${workspace}/`;
}
