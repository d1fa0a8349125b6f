import { type CardledgerError, createClient } from '@cardledger/client';
import { type FormEvent, StrictMode, Suspense, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { RelayEnvironmentProvider } from 'react-relay';
import { Environment, type GraphQLResponse, Network, RecordSource, Store } from 'relay-runtime';
import { Binders } from './Binders.tsx';

const SERVICE = import.meta.env.VITE_CARDLEDGER ?? 'http://127.0.0.1:4000';

/** The client keeps the token, in the memory of the page, and sends again what passes; a mutation is done once. */
async function signIn(clientId: string, clientSecret: string): Promise<Environment> {
  const cardledger = createClient({ url: SERVICE, clientId, clientSecret });
  await cardledger.query('{ viewer { id } }');
  return new Environment({
    network: Network.create(
      ({ text }, variables) => cardledger.execute(text!, variables) as Promise<GraphQLResponse>,
    ),
    store: new Store(new RecordSource()),
  });
}

function App() {
  const [environment, setEnvironment] = useState<Environment>();
  const [failure, setFailure] = useState('');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signIn(String(form.get('id')), String(form.get('secret'))).then(
      setEnvironment,
      (error: CardledgerError) => setFailure(error.message),
    );
  };
  if (environment) {
    return (
      <RelayEnvironmentProvider environment={environment}>
        <Suspense fallback={<p>Loading…</p>}>
          <Binders />
        </Suspense>
      </RelayEnvironmentProvider>
    );
  }
  return (
    <form onSubmit={submit}>
      <label>
        Client id <input name="id" required />
      </label>
      <label>
        Secret <input name="secret" type="password" required />
      </label>
      <button type="submit">Sign in</button>
      {failure && <p role="alert">{failure}</p>}
    </form>
  );
}

createRoot(document.getElementById('app')!).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
