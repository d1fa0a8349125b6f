// The browser's part of the GraphiQL page, run after graphiql.js.

import { signIn } from '../site/sign-in.js';

const { storagePrefix, accessToken, defaultTabs, ...options } = JSON.parse(
  document.getElementById('options').textContent,
);
const root = document.getElementById('root');
const token = accessToken ?? (await signIn(root));
// Who comes from the page at `/` brings the variables of what is shown there, and no edits of before.
const variables = decodeURIComponent(location.hash.slice(1));
if (variables) defaultTabs[0].variables = variables;
const storage = variables ? keptInMemory() : keptBelow(`${storagePrefix}:`);

globalThis.MonacoEnvironment = { getWorkerUrl: (_module, label) => `graphiql/${label}.js` };

globalThis.YogaGraphiQL.renderYogaGraphiQL(root, {
  ...options,
  defaultTabs,
  headers: JSON.stringify({ Authorization: `Bearer ${token}` }, null, 2),
  defaultEditorToolsVisibility: 'variables',
  // Yoga's own puts each edit into the address, which a reload would then send as a query without a token.
  onEditQuery() {},
  storage,
  // GraphiQL fills its editor of variables from its storage alone, which knows nothing of the first tab yet.
  ...(storage.length === 0 && { variables: defaultTabs[0].variables }),
});

new MutationObserver(mendTabs).observe(root, {
  attributes: true,
  attributeFilter: ['aria-selected'],
  childList: true,
  subtree: true,
});
mendTabs();

/** Its tabs hold buttons, which readers of the screen do not reach in a tab: they are told as a list of buttons. */
function mendTabs() {
  root.querySelector('ul.graphiql-tabs[role]')?.removeAttribute('role');
  for (const tab of root.querySelectorAll('.graphiql-tab')) {
    const isShown = tab.classList.contains('graphiql-tab-active');
    tab.removeAttribute('role');
    tab.removeAttribute('aria-selected');
    tab.querySelector('button')?.setAttribute('aria-current', String(isShown));
  }
}

/** The storage of the browser, of which the keys with this prefix are ours. */
function keptBelow(prefix) {
  const keys = () => Object.keys(localStorage).filter((key) => key.startsWith(prefix));
  return {
    getItem: (key) => localStorage.getItem(prefix + key),
    setItem: (key, value) => localStorage.setItem(prefix + key, value),
    removeItem: (key) => localStorage.removeItem(prefix + key),
    clear() {
      for (const key of keys()) localStorage.removeItem(key);
    },
    get length() {
      return keys().length;
    },
  };
}

function keptInMemory() {
  const items = new Map();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => items.set(key, value),
    removeItem: (key) => items.delete(key),
    clear: () => items.clear(),
    get length() {
      return items.size;
    },
  };
}
