/**
 * A Swagger UI plugin for the fields of parameters. Optional fields and ids of changed records stay empty. Otherwise Swagger UI
 * would fill them with the examples of the document: it would request animal 1 only, send one `Idempotency-Key` for every animal,
 * or ship order 1. Patterns are hidden, because the text beside the field describes them. A stream has no fields.
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
 * A Swagger UI plugin that shows every digit of a response. Swagger UI parses JSON to doubles to indent it, which turns
 * 9007199254740993 into 9007199254740992 (https://github.com/swagger-api/swagger-ui/issues/2030). Requests need no plugin: the
 * typed text is sent, also in the curl command.
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

/** The same JSON, indented, with unchanged numbers. Undefined if the text is not JSON. */
function indentJson(text) {
  try {
    // A browser without JSON.rawJSON shows the response as it was sent.
    if (JSON.rawJSON === undefined) return text;
    const exact = (_key, value, { source }) =>
      typeof value === 'number' ? JSON.rawJSON(source) : value;
    return JSON.stringify(JSON.parse(text, exact), null, 2);
  } catch {
    return undefined;
  }
}
