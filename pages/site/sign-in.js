// The sign-in form of the pages. The token is given to who asks, and kept nowhere.

/**
 * Shows a form for id and secret of a client, and takes it away once they are right.
 * @param {HTMLElement} place what it is shown in
 * @param {string} [reason] why one has to sign in again
 * @returns {Promise<string>} an access token, good for an hour
 */
export function signIn(place, reason = '') {
  const form = document.createElement('form');
  form.className = 'sign-in';
  form.innerHTML = `
    <h1>Sign in</h1>
    <p class="hint">With the id and secret of a client of your account. The operator makes one by
      <code>cardledger client create</code>.</p>
    <label>Client id <input name="id" autocomplete="username" spellcheck="false" required></label>
    <label>Client secret <input name="secret" type="password" autocomplete="current-password" required></label>
    <p role="alert"></p>
    <button>Sign in</button>
    <p class="hint">The token stays in the memory of this page, until you close or reload it.</p>`;
  const alert = form.querySelector('[role="alert"]');
  alert.textContent = reason;
  place.replaceChildren(form);
  form.elements.namedItem('id').focus();
  return new Promise((resolve) => {
    form.addEventListener('submit', async (event) => {
      event.preventDefault();
      const button = form.querySelector('button');
      button.disabled = true;
      alert.textContent = '';
      const given = new FormData(form);
      const answer = await requestToken(String(given.get('id')).trim(), String(given.get('secret')).trim());
      button.disabled = false;
      if (answer.token === undefined) {
        alert.textContent = answer.problem;
        return;
      }
      form.remove();
      resolve(answer.token);
    });
  });
}

/**
 * @param {string} id
 * @param {string} secret
 * @returns {Promise<{ token: string } | { token?: undefined, problem: string }>}
 */
async function requestToken(id, secret) {
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: id,
    client_secret: secret,
    scope: 'default',
  });
  try {
    // Without credentials, as the browser would else ask for id and secret itself where these are wrong.
    const response = await fetch('oauth2/token', { method: 'POST', body, credentials: 'omit' });
    const answer = await response.json();
    if (response.ok) return { token: answer.access_token };
    if (response.status === 401) return { problem: 'There is no client with this id and secret.' };
    if (response.status === 429) {
      return { problem: `Too many attempts. Try again in ${response.headers.get('Retry-After') ?? 60} s.` };
    }
    return {
      problem: answer.error_description ?? answer.detail ?? 'The server refused, and did not say why.',
    };
  } catch {
    return { problem: 'The server does not answer. Look at your connection, and try again.' };
  }
}
