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
declare module '*.txt' {
  const path: string;
  export default path;
}
declare module '*/LICENSE' {
  const path: string;
  export default path;
}

// The part of the parser that the console uses. The package has no types.
declare module 'saxen' {
  export class Parser {
    on(
      event: 'openTag',
      listen: (name: string, attributes: () => Readonly<Record<string, string>>) => void,
    ): this;
    on(event: 'error', listen: (error: Error) => void): this;
    on(
      event: 'closeTag' | 'text' | 'cdata' | 'attention',
      listen: (nameOrText: string) => void,
    ): this;
    write(text: string): this;
    end(): Error | null;
  }
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

// https://w3c.github.io/trusted-types/ Not all browsers have it.
declare var trustedTypes:
  | undefined
  | {
      createPolicy(
        name: string,
        rules: { createScriptURL(): string },
      ): {
        /** `Worker` takes the result, which has a type of its own, instead of a URL. */
        createScriptURL(input: string): URL;
      };
    };
