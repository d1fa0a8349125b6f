import type { Document } from './document.ts';
import {
  type Arguments,
  type CallOptions,
  type Done,
  execute,
  items,
  mutate,
  type Page,
  query,
  type Result,
} from './graphql.ts';
import { authorized, type Service } from './requests.ts';
import {
  type ItemOf,
  type ListPath,
  type Method,
  type PathOf,
  type RestAnswer,
  type RestArguments,
  type RestData,
  rest,
  restItems,
} from './rest.ts';
import { type Event, type SubscribeOptions, subscribe } from './subscribe.ts';
import { clientCredentials, ownToken } from './token.ts';

export type { Document } from './document.ts';
export {
  type Breach,
  CardledgerError,
  type ErrorCode,
  type GraphQLCode,
  type OAuthCode,
  type ProblemName,
} from './errors.ts';
export type { CallOptions, Done, Page, Result } from './graphql.ts';
export { newKey } from './key.ts';
export type { components, operations, paths } from './openapi.ts';
export type { RestAnswer } from './rest.ts';
export type { Event, SubscribeOptions } from './subscribe.ts';

/** Who asks: the id and secret of a client, or a function that gives a token, such as from your own server. */
export type Credentials =
  | { clientId: string; clientSecret: string; token?: undefined }
  | {
      /** `refused` is a token that the service did not take: give another one, or the same to give up. */
      token: (refused?: string) => string | Promise<string>;
    };

export type ClientOptions = Credentials & {
  /** Address of the service, such as `https://cards.example`. */
  url: string;
  /** How often a request is sent again where it may pass, with a wait each time; 4 where it is left out. */
  retries?: number;
  fetch?: typeof fetch;
};

type Client = ReturnType<typeof createClient>;

export type { Client };

/** A client of one service and one account. All its calls throw `CardledgerError`. */
export function createClient(options: ClientOptions) {
  const base = {
    url: options.url.replace(/\/+$/, ''),
    retries: options.retries ?? 4,
    // A browser's fetch has to be called on its window.
    fetch: options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args)),
  };
  const service: Service = {
    ...base,
    token: options.token ? ownToken(options.token) : clientCredentials(base, options),
  };

  return {
    /** Runs a query, and gives its data. */
    query: <Data, Variables = Record<string, unknown>>(
      document: Document<Data, Variables>,
      ...[variables, options]: Arguments<Variables>
    ): Promise<Data> => query(service, document, variables, options),

    /**
     * Runs a mutation, and gives its payloads; throws what it is refused with. Each `input` that is a variable gets an
     * `idempotencyKey`, unless it has one, so that it is done once, however often it is sent.
     */
    mutate: <Data, Variables = Record<string, unknown>>(
      document: Document<Data, Variables>,
      ...[variables, options]: Arguments<Variables>
    ): Promise<Done<Data>> => mutate(service, document, variables, options),

    /** As `query` and `mutate`, and gives the whole answer with its `errors`: for other clients of GraphQL, such as Relay. */
    execute: async <Data, Variables = Record<string, unknown>>(
      document: Document<Data, Variables>,
      ...[variables, options]: Arguments<Variables>
    ): Promise<Result<Data>> => (await execute(service, document, variables, options)).result,

    /**
     * Iterates over all items of a list, page by page. The document takes `$after`; `pageOf` finds the list in the data,
     * of which `nodes` or `edges { node }` and `pageInfo { hasNextPage endCursor }` are read.
     */
    items: <Data, Item, Variables = Record<string, unknown>>(
      document: Document<Data, Variables>,
      variables: Omit<Variables, 'after'>,
      pageOf: (data: Data) => Page<Item> | null | undefined,
      options?: CallOptions,
    ): AsyncGenerator<Item, void, undefined> => items(service, document, variables, pageOf, options),

    /** Iterates over the events of a subscription; goes on after lost connections and expired tokens, and misses none. */
    subscribe: <Data, Variables = Record<string, unknown>>(
      document: Document<Data, Variables>,
      variables: Variables,
      options?: SubscribeOptions,
    ): AsyncGenerator<Event<Data>, void, undefined> => subscribe(service, document, variables, options),

    /** Sends a request of the REST API. A `POST` has an `Idempotency-Key`, so that it is done once. */
    rest: <M extends Method, P extends PathOf<M>>(
      method: M,
      path: P,
      ...[options]: RestArguments<M, P>
    ): Promise<RestAnswer<RestData<M, P>>> =>
      rest(service, method, path, options ?? {}) as Promise<RestAnswer<RestData<M, P>>>,

    /** Iterates over all items of a list of the REST API, page by page. */
    restItems: <P extends ListPath>(
      path: P,
      ...[options]: RestArguments<'GET', P>
    ): AsyncGenerator<ItemOf<P>, void, undefined> =>
      restItems(service, path, options ?? {}) as AsyncGenerator<ItemOf<P>, void, undefined>,

    /**
     * `fetch` with the token, renewed where it is refused, for the `fetch` option of other clients. It sends nothing again
     * but for that.
     */
    fetch: async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const request = new Request(input instanceof Request ? input : new URL(input, base.url), init);
      const { origin } = new URL(base.url);
      if (new URL(request.url).origin !== origin) throw new TypeError(`A token is sent to ${origin} alone.`);
      return authorized(service, request);
    },
  };
}
