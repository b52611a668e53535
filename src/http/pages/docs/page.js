import { exactNumbers, parameterFields } from './plugins.js';
import { fetchThroughHost, showHashInHost } from './through-host.js';

// Swagger UI has a dark scheme, but only the topbar, which this page is without, would put it on.
const dark = matchMedia('(prefers-color-scheme: dark)');
const followScheme = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', followScheme);
followScheme();

showHashInHost();

SwaggerUIBundle({
  dom_id: '#swagger-ui',
  url: new URL('../openapi.json', document.URL).pathname,
  requestInterceptor: (request) => ({ ...request, userFetch: fetchThroughHost }),
  plugins: [exactNumbers, parameterFields],
  deepLinking: true,
  tryItOutEnabled: true,
  showCommonExtensions: true,
  syntaxHighlight: { theme: 'tomorrow-night' },
  // The default is a public service, which would receive the address of this document.
  validatorUrl: null,
  // A key that is kept in localStorage is there for every script that ever runs on this origin.
  persistAuthorization: false,
});
