// The domain reads and writes exact integers by these. TypeScript declares them for Bun alone
// (https://github.com/tc39/proposal-json-parse-with-source).
interface JSON {
  parse(
    text: string,
    reviver: (
      this: unknown,
      key: string,
      value: unknown,
      context: { readonly source?: string },
    ) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
}
