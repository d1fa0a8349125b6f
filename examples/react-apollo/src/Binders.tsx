import { useMutation, useQuery } from '@apollo/client/react';
import { newKey } from '@cardledger/client';
import { type FormEvent, useState } from 'react';
import { graphql } from './gql/index.ts';

const BINDERS = graphql(`
  query Binders {
    collections(first: 50) {
      nodes { id name quantity marketValue { value currency } }
    }
  }
`);

const CREATE = graphql(`
  mutation CreateBinder($input: CreateCollectionInput!) {
    createCollection(input: $input) {
      __typename
      ... on CreateCollectionPayload { collection { id name } }
      ... on Error { message }
    }
  }
`);

const HOLDINGS = graphql(`
  query Holdings($id: ID!, $after: String) {
    collection(id: $id) {
      id
      name
      transactionSummaries(first: 3, after: $after) {
        edges {
          cursor
          node {
            id
            quantity
            marketValue { value currency }
            variant { id variantName product { id name } }
          }
        }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

const money = ({ value, currency }: { value: number; currency: string }) =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(value);

export function Binders() {
  const { data, error } = useQuery(BINDERS);
  const [openId, open] = useState<string>();
  if (error) return <p role="alert">{error.message}</p>;
  if (!data) return <p>Loading…</p>;
  return (
    <>
      <h1>Binders</h1>
      <table>
        <tbody>
          {data.collections.nodes.map(({ id, name, quantity, marketValue }) => (
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
      <NewBinder />
      {openId && <Holdings key={openId} id={openId} />}
    </>
  );
}

function NewBinder() {
  // A failure that can be expected is data; others are in `error`.
  const [create, { data, error }] = useMutation(CREATE, { refetchQueries: [BINDERS] });
  const outcome = data?.createCollection;
  const failure = error?.message ?? (outcome && 'message' in outcome ? outcome.message : '');
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name'));
    // With a key the service does it once, however often it is sent.
    create({ variables: { input: { name, idempotencyKey: newKey() } } }).catch(() => {});
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

function Holdings({ id }: { id: string }) {
  const { data, error, fetchMore } = useQuery(HOLDINGS, { variables: { id } });
  if (error) return <p role="alert">{error.message}</p>;
  if (!data?.collection) return <p>Loading…</p>;
  const { name, transactionSummaries } = data.collection;
  const { hasNextPage, endCursor } = transactionSummaries.pageInfo;
  return (
    <section>
      <h2>{name}</h2>
      <table>
        <tbody>
          {transactionSummaries.edges.map(({ node }) => (
            <tr key={node.id}>
              <td>{node.variant.product.name}</td>
              <td>{node.variant.variantName}</td>
              <td className="number">{node.quantity}</td>
              <td className="number">{money(node.marketValue)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {hasNextPage && (
        <button type="button" onClick={() => fetchMore({ variables: { after: endCursor } })}>
          More
        </button>
      )}
    </section>
  );
}
