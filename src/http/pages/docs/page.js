import { exactNumbers, parameterFields } from './plugins.js';
import { fetchThroughHost, showHashInHost } from './through-host.js';

// Only Swagger UI's top bar switches to the dark scheme, and this page has no top bar.
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
  // Every script of this origin could read a key in localStorage.
  persistAuthorization: false,
});
