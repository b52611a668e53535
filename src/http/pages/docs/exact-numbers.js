/**
 * A Swagger UI plugin that shows an answer with every digit the service sent. Swagger UI indents JSON by parsing
 * it to doubles and writing it again, which turns 9007199254740993 into 9007199254740992
 * (https://github.com/swagger-api/swagger-ui/issues/2030). What is sent needs no mending: the body goes out as
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
