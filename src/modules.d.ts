// Files that Bun imports as text or as a path, and the part of ES2026's JSON that TypeScript does not know yet.

declare module '*.sql' {
  const text: string;
  export default text;
}

// Imported with `{ type: 'file' }`: the path of a file to read, also inside a compiled executable.
declare module '*.css' {
  const path: string;
  export default path;
}
declare module '*.js' {
  const path: string;
  export default path;
}
declare module '*.png' {
  const path: string;
  export default path;
}

interface JSON {
  // https://tc39.es/proposal-json-parse-with-source/
  parse(
    text: string,
    reviver: (
      this: unknown,
      key: string,
      value: unknown,
      context: { readonly source?: string },
    ) => unknown,
  ): unknown;
  rawJSON(text: string): { readonly rawJSON: string };
  isRawJSON(value: unknown): value is { readonly rawJSON: string };
}
