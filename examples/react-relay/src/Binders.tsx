import { type FormEvent, Suspense, useState } from 'react';
import { graphql, useLazyLoadQuery, useMutation, usePaginationFragment } from 'react-relay';
import type { BindersCreateMutation } from './__generated__/BindersCreateMutation.graphql.ts';
import type { BindersHoldings_collection$key } from './__generated__/BindersHoldings_collection.graphql.ts';
import type { BindersHoldingsQuery } from './__generated__/BindersHoldingsQuery.graphql.ts';
import type { BindersQuery } from './__generated__/BindersQuery.graphql.ts';

const BINDERS = graphql`
  query BindersQuery {
    collections(first: 50) @connection(key: "Binders_collections") {
      __id
      edges { node { id name quantity marketValue { value currency } } }
    }
  }
`;

const CREATE = graphql`
  mutation BindersCreateMutation($input: CreateCollectionInput!, $lists: [ID!]!) {
    createCollection(input: $input) {
      __typename
      ... on CreateCollectionPayload {
        collection @appendNode(connections: $lists, edgeTypeName: "CollectionEdge") {
          id
          name
          quantity
          marketValue { value currency }
        }
      }
      ... on Error { message }
    }
  }
`;

const COLLECTION = graphql`
  query BindersHoldingsQuery($id: ID!) {
    collection(id: $id) { name ...BindersHoldings_collection }
  }
`;

const HOLDINGS = graphql`
  fragment BindersHoldings_collection on Collection
  @argumentDefinitions(count: { type: "Int", defaultValue: 3 }, cursor: { type: "String" })
  @refetchable(queryName: "BindersHoldingsPageQuery") {
    transactionSummaries(first: $count, after: $cursor) @connection(key: "Binders_transactionSummaries") {
      edges {
        node {
          id
          quantity
          marketValue { value currency }
          variant { variantName product { name } }
        }
      }
    }
  }
`;

const money = ({ value, currency }: { value: number; currency: string }) =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(value);

export function Binders() {
  const { collections } = useLazyLoadQuery<BindersQuery>(BINDERS, {});
  const [openId, open] = useState<string>();
  return (
    <>
      <h1>Binders</h1>
      <table>
        <tbody>
          {collections.edges.map(({ node: { id, name, quantity, marketValue } }) => (
            <tr key={id}>
              <td>
                <button type="button" onClick={() => open(id)}>
                  {name}
                </button>
              </td>
              <td className="number">{quantity} cards</td>
              <td className="number">{money(marketValue)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <NewBinder list={collections.__id} />
      {openId && (
        <Suspense fallback={<p>Loading…</p>}>
          <Binder key={openId} id={openId} />
        </Suspense>
      )}
    </>
  );
}

function NewBinder({ list }: { list: string }) {
  const [create] = useMutation<BindersCreateMutation>(CREATE);
  const [failure, setFailure] = useState('');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name'));
    create({
      variables: { input: { name }, lists: [list] },
      // A failure that can be expected is data.
      onCompleted: ({ createCollection }) => setFailure(createCollection.message ?? ''),
      onError: (error) => setFailure(error.message),
    });
  };
  return (
    <form onSubmit={submit}>
      <label>
        New binder <input name="name" />
      </label>
      <button type="submit">Create</button>
      {failure && <p role="alert">{failure}</p>}
    </form>
  );
}

function Binder({ id }: { id: string }) {
  const { collection } = useLazyLoadQuery<BindersHoldingsQuery>(COLLECTION, { id });
  if (!collection) return <p role="alert">This binder is gone.</p>;
  return (
    <section>
      <h2>{collection.name}</h2>
      <Holdings collection={collection} />
    </section>
  );
}

function Holdings({ collection }: { collection: BindersHoldings_collection$key }) {
  const { data, hasNext, loadNext } = usePaginationFragment(HOLDINGS, collection);
  return (
    <>
      <table>
        <tbody>
          {data.transactionSummaries.edges.map(({ node }) => (
            <tr key={node.id}>
              <td>{node.variant.product.name}</td>
              <td>{node.variant.variantName}</td>
              <td className="number">{node.quantity}</td>
              <td className="number">{money(node.marketValue)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasNext && (
        <button type="button" onClick={() => loadNext(3)}>
          More
        </button>
      )}
    </>
  );
}
