import { useMutation } from '@urql/preact';
import { CountCollectionDocument, DashboardDocument, type MyCollectionsQuery } from './generated/graphql.ts';
import { count, counted, money, percent, sign } from './money.ts';
import { Movers } from './movers.tsx';
import { NewCollection } from './new-collection.tsx';
import { Heading, InGraphiql, inWords, Loading, Problem, Tile } from './parts.tsx';
import { useRead } from './use-read.ts';
import { ValueHistory } from './value-history.tsx';

type Collections = MyCollectionsQuery['collections']['nodes'];

export function Dashboard({ collections }: { collections: Collections }) {
  const [{ data, error }, again] = useRead({ query: DashboardDocument, requestPolicy: 'cache-and-network' });
  if (!data) {
    return (
      <>
        <Heading>Dashboard</Heading>
        {error ? <Problem error={error} again={again} /> : <Loading what="your sums" />}
      </>
    );
  }
  const { dashboard, name } = data.viewer;
  const { profit } = dashboard;
  // Cards without a price count as 0: where none has one, nothing is known.
  const isPriced = dashboard.unpriced === 0 || Number(dashboard.marketValue.decimal) !== 0;
  const gain = isPriced ? dashboard.gain : null;
  const unpriced = 'no price of what is held is known';
  return (
    <>
      <Heading aside={<InGraphiql document={DashboardDocument} variables={{}} />}>Dashboard</Heading>
      <p class="lead">
        {name}: {counted(dashboard.quantity, 'card')} in{' '}
        {counted(dashboard.collectionCount, 'valued collection')}.
      </p>
      {error && <Problem error={error} isKept again={again} />}
      <dl class="tiles">
        <Tile
          name="Value"
          value={money(isPriced ? dashboard.marketValue : null)}
          note={isPriced ? 'at the latest prices' : unpriced}
        />
        <Tile name="Invested" value={money(dashboard.invested)} note="what the cards held had cost" />
        <Tile
          name="Gain"
          value={money(gain, { signed: true })}
          note={
            !isPriced
              ? unpriced
              : dashboard.gainRatio === null
                ? undefined
                : `${percent(dashboard.gainRatio, { signed: true })} of what the cards cost`
          }
          tone={sign(gain)}
        />
        <Tile name="Realised" value={money(profit, { signed: true })} note="by sales" tone={sign(profit)} />
      </dl>
      {dashboard.warning && <p class="hint">{dashboard.warning}</p>}
      {dashboard.collectionCount === 0 ? (
        <p class="empty">No collection counts for the dashboard.</p>
      ) : (
        <>
          <ValueHistory />
          <Movers />
        </>
      )}
      <section class="panel">
        <h2>Collections</h2>
        <table class="plain">
          <thead>
            <tr>
              <th scope="col">Name</th>
              <th scope="col" class="number">
                Cards
              </th>
              <th scope="col">Counts for the dashboard</th>
            </tr>
          </thead>
          <tbody>
            {collections.map(({ id, name: own, quantity, valued }) => (
              <tr key={id}>
                <th scope="row">
                  <a href={`#/collection/${id}`}>{own}</a>
                </th>
                <td class="number">{count(quantity)}</td>
                <td>
                  <Counts id={id} name={own} valued={valued} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        <NewCollection />
      </section>
    </>
  );
}

/** Whether the collection counts, to be changed. */
function Counts({ id, name, valued }: { id: string; name: string; valued: boolean }) {
  const [{ data, error, fetching }, change] = useMutation(CountCollectionDocument);
  const result = data?.updateCollection;
  return (
    <>
      <input
        type="checkbox"
        aria-label={`${name} counts for the dashboard`}
        checked={valued}
        disabled={fetching}
        onChange={() => void change({ input: { id, valued: !valued } })}
      />
      {result && 'message' in result && <span class="wrong"> {result.message}</span>}
      {error && <span class="wrong"> {inWords(error)}</span>}
    </>
  );
}
