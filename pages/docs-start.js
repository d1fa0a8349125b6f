// The browser's part of the /docs page, run after swagger-ui-bundle.js.

import { signIn } from '../site/sign-in.js';

const { accessToken } = JSON.parse(document.getElementById('options').textContent);

const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

/** Of who is signed in by the page. */
let token = null;

const ui = globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  tryItOutEnabled: true,
  // Nobody else is to be asked whether the document is valid.
  validatorUrl: null,
  requestInterceptor(request) {
    // What its own dialog was given comes first.
    if (token && !request.headers.Authorization) request.headers.Authorization = `Bearer ${token}`;
    return request;
  },
  onComplete: accessToken
    ? () => useToken(accessToken, 'You are signed in as the demo account.')
    : offerSignIn,
});
ui.initOAuth({ scopes: 'default' });

function useToken(given, told) {
  token = given;
  const text = document.createElement('p');
  text.textContent = `${told} What is executed here is done.`;
  document.getElementById('session').replaceChildren(text);
}

/** The form of the other pages. Who only reads needs none. */
function offerSignIn() {
  const session = document.getElementById('session');
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Sign in to try it out';
  button.addEventListener('click', async () => useToken(await signIn(session), 'You are signed in.'));
  session.replaceChildren(button);
}

// Swagger UI draws itself; what readers of the screen lack in it is added each time.
const place = document.getElementById('swagger-ui');
const mend = () => {
  const each = (selector, change) => {
    for (const element of place.querySelectorAll(selector)) change(element);
  };
  const region = (name) => (element) => {
    element.setAttribute('role', 'region');
    element.setAttribute('aria-label', name);
  };
  each('.information-container:not([role])', region('About this API'));
  each('.scheme-container:not([role])', region('Server and sign-in'));
  each('h3.opblock-tag:not([aria-level])', (heading) => heading.setAttribute('aria-level', '2'));
  each('h4:not([aria-level])', (heading) => heading.setAttribute('aria-level', '3'));
  each('h5:not([aria-level])', (heading) => heading.setAttribute('aria-level', '4'));
  each('textarea:not([aria-label])', (text) => text.setAttribute('aria-label', 'Request body'));
  each('table[role="region"]:not([aria-label])', (table) => {
    table.setAttribute(
      'aria-label',
      `Responses of ${table.id.replace(/_responses$/, '').replaceAll('_', ' ')}`,
    );
  });
  // What scrolls has to be reached by the keyboard.
  each('pre.microlight:not([tabindex])', (text) => text.setAttribute('tabindex', '0'));
  // A link within a button: the button opens the operation, and puts it into the address.
  each('button a[href]', (link) => link.removeAttribute('href'));
  each('select:not([aria-label])', (select) => {
    const row = select.closest('tr')?.querySelector('.parameter__name, .response-col_status');
    const name = select.id === 'servers' ? 'Server' : row ? `Choice for ${row.textContent.trim()}` : 'Choice';
    select.setAttribute('aria-label', name);
  });
};
new MutationObserver(mend).observe(place, { childList: true, subtree: true });
mend();
