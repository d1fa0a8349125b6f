// The browser's part of the GraphiQL page, run after graphiql.js.

const { storagePrefix, ...options } = JSON.parse(document.getElementById('options').textContent);
const keyOf = (key) => `${storagePrefix}:${key}`;

globalThis.MonacoEnvironment = { getWorkerUrl: (_module, label) => `graphiql/${label}.js` };

globalThis.YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
  ...options,
  // Yoga's own puts each edit into the address, which a reload would then send as a query without a token.
  onEditQuery() {},
  storage: {
    getItem: (key) => localStorage.getItem(keyOf(key)),
    setItem: (key, value) => localStorage.setItem(keyOf(key), value),
    removeItem: (key) => localStorage.removeItem(keyOf(key)),
    clear() {
      for (const key of Object.keys(localStorage)) {
        if (key.startsWith(keyOf(''))) localStorage.removeItem(key);
      }
    },
    get length() {
      return Object.keys(localStorage).filter((key) => key.startsWith(keyOf(''))).length;
    },
  },
});
