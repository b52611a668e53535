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

/**
 * A Swagger UI plugin that shows an answer with every digit the service sent. Swagger UI indents JSON by parsing
 * it to doubles and writing it again, which turns 9007199254740993 into 9007199254740992
 * (https://github.com/swagger-api/swagger-ui/issues/2030). Requests are correct without a plugin: the body is sent as
 * the text that was typed, in the curl line as well.
 */
export const exactNumbers = () => ({
  wrapComponents: {
    responseBody:
      (Original, { React }) =>
      (props) => {
        const json = isJson(props) ? indentJson(props.content) : undefined;
        if (json === undefined) return React.createElement(Original, props);
        return React.createElement(
          'div',
          null,
          React.createElement('h5', null, 'Response body'),
          React.createElement(
            props.getComponent('HighlightCode', true),
            { language: 'json', downloadable: true, fileName: 'response.json', canCopy: true },
            json,
          ),
        );
      },
  },
});

function isJson({ content, contentType }) {
  return typeof content === 'string' && /json/i.test(contentType);
}

/** The same JSON, indented, with each number as it was written; undefined where the text is not JSON. */
function indentJson(text) {
  try {
    // Of each number the text is kept instead of the double. A browser too old to give it out is shown
    // the answer as it came.
    if (JSON.rawJSON === undefined) return text;
    const exact = (_key, value, { source }) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value;
    return JSON.stringify(JSON.parse(text, exact), null, 2);
  } catch {
    return undefined;
  }
}
