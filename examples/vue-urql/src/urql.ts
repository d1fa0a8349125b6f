import { createClient } from '@cardledger/client';
import { cacheExchange } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { Client, fetchExchange } from '@urql/vue';

const SERVICE = import.meta.env.VITE_CARDLEDGER ?? 'http://127.0.0.1:4000';

/** The client keeps the token, in the memory of the page, and renews it; urql fetches by it. */
export async function signIn(clientId: string, clientSecret: string): Promise<Client> {
  const cardledger = createClient({ url: SERVICE, clientId, clientSecret });
  await cardledger.query('{ viewer { id } }');
  return new Client({
    url: `${SERVICE}/graphql`,
    preferGetMethod: false,
    fetch: cardledger.fetch,
    exchanges: [
      cacheExchange({
        // An amount has no id: it belongs to its object.
        keys: { Money: () => null },
        resolvers: { Collection: { transactionSummaries: relayPagination() } },
        updates: {
          Mutation: {
            createCollection: (_result, _arguments, cache) => cache.invalidate('Query', 'collections'),
          },
        },
      }),
      fetchExchange,
    ],
  });
}
