/**
 * A Swagger UI plugin for the fields in which parameters are typed. Swagger UI fills them with the examples of the document, and
 * would ask for animal 1 alone where all are wanted, and give every animal the same `Idempotency-Key`: fields that may
 * be left empty are. It shows patterns too, which are for programs; the text beside the field says the same.
 */
export const parameterFields = () => ({
  statePlugins: {
    spec: {
      wrapActions: {
        updateJsonSpec: (original) => (document) => original(withoutOptionalExamples(document)),
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
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const parameters = [
    ...operations.flatMap(({ parameters = [] }) => parameters),
    ...Object.values(document.components.parameters),
  ];
  for (const parameter of parameters) {
    if (parameter.required !== true) delete parameter.example;
  }
  return document;
}
