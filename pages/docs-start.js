// The browser's part of the /docs page, run after swagger-ui-bundle.js.

const ui = globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  // Nobody else is to be asked whether the document is valid.
  validatorUrl: null,
});
ui.initOAuth({ scopes: 'default' });
