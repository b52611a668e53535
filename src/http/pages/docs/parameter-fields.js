/**
 * A Swagger UI plugin for the fields in which parameters are typed. Swagger UI fills them with the examples of the document, and
 * would ask for animal 1 alone where all are wanted, and give every animal the same `Idempotency-Key`: fields that may
 * be left empty are, and so are ids of what a write changes: one click is not to ship order 1. It shows patterns too, which
 * are for programs; the text beside the field says the same. A stream has no fields.
 */
export const parameterFields = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (document) => original(withoutOptionalExamples(document)),
      },
      wrapSelectors: {
        // Swagger UI shows a response when it is complete, and a stream never is.
        allowTryItOutFor: () => (_state, path) => path !== '/events/stream',
      },
    },
  },
  wrapComponents: {
    ParameterExt:
      (Original, { React }) =>
      (props) =>
        props.xKey === 'pattern' ? null : React.createElement(Original, props),
  },
});

function withoutOptionalExamples(document) {
  const operations = Object.values(document.paths).flatMap((path) => Object.entries(path));
  for (const [method, { parameters = [] }] of operations) {
    for (const parameter of parameters) {
      if (parameter.required !== true || method !== 'get') delete parameter.example;
    }
  }
  for (const parameter of Object.values(document.components.parameters)) delete parameter.example;
  return document;
}
