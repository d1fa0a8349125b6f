import { ApolloClient, HttpLink, InMemoryCache } from '@apollo/client';
import { ApolloProvider } from '@apollo/client/react';
import { relayStylePagination } from '@apollo/client/utilities';
import { type CardledgerError, createClient } from '@cardledger/client';
import { type FormEvent, StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Binders } from './Binders.tsx';

const SERVICE = import.meta.env.VITE_CARDLEDGER ?? 'http://127.0.0.1:4000';

/** The client keeps the token, in the memory of the page, and renews it; Apollo fetches by it. */
async function signIn(clientId: string, clientSecret: string): Promise<ApolloClient> {
  const cardledger = createClient({ url: SERVICE, clientId, clientSecret });
  await cardledger.query('{ viewer { id } }');
  return new ApolloClient({
    link: new HttpLink({ uri: `${SERVICE}/graphql`, fetch: cardledger.fetch }),
    cache: new InMemoryCache({
      // All that implement Error in schema.graphql: of others Apollo drops what is asked of an Error.
      possibleTypes: {
        Error: ['CollectionInUse', 'IdempotencyMismatch', 'LimitExceeded', 'NotFound', 'ValidationFailed'],
      },
      // Pages of one search in one order belong together.
      typePolicies: {
        Collection: {
          fields: { transactionSummaries: relayStylePagination(['searchQuery', 'sort', 'reverse']) },
        },
      },
    }),
  });
}

function App() {
  const [apollo, setApollo] = useState<ApolloClient>();
  const [failure, setFailure] = useState('');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signIn(String(form.get('id')), String(form.get('secret'))).then(setApollo, (error: CardledgerError) =>
      setFailure(error.message),
    );
  };
  if (apollo) {
    return (
      <ApolloProvider client={apollo}>
        <Binders />
      </ApolloProvider>
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
