import { useMemo, useState } from 'preact/hooks';
import { Chart } from './chart.tsx';
import {
  BreakdownDocument,
  type BreakdownQuery,
  type ProductEvSort,
  type ProductType,
  SealedDocument,
  type SealedQuery,
} from './generated/graphql.ts';
import { count, money, percent, shortMoney, sign } from './money.ts';
import { Choice, Heading, InGraphiql, Loading, Problem, Select, Tile } from './parts.tsx';
import { useRead } from './use-read.ts';

const TYPES: Record<ProductType, string> = { BOX: 'Boxes', PACK: 'Packs', CASE: 'Cases' };
const ORDERS: Record<ProductEvSort, string> = {
  HIGHEST_ESTIMATED_VALUE: 'Highest expected value',
  LOWEST_ESTIMATED_VALUE: 'Lowest expected value',
  HIGHEST_MARKET_PRICE: 'Highest price',
  LOWEST_MARKET_PRICE: 'Lowest price',
  MARKET_PRICE_DELTA_POSITIVE: 'Most above its price',
  MARKET_PRICE_DELTA_NEGATIVE: 'Most below its price',
  NEWEST_RELEASE_DATE: 'Newest',
  OLDEST_RELEASE_DATE: 'Oldest',
};

type ProductEv = SealedQuery['productEvs']['nodes'][number];
type EvBreakdown = NonNullable<BreakdownQuery['evBreakdown']>;

export function Sealed() {
  const [productType, setType] = useState<ProductType>('BOX');
  const [sort, setSort] = useState<ProductEvSort>('HIGHEST_ESTIMATED_VALUE');
  const [chosen, setChosen] = useState<ProductEv | null>(null);
  const variables = { productType, sort };
  const [{ data, error, stale }, again] = useRead({ query: SealedDocument, variables });
  const evs = data?.productEvs.nodes;
  const shown = chosen?.productType === productType ? chosen : evs?.[0];
  return (
    <>
      <Heading aside={<InGraphiql document={SealedDocument} variables={variables} />}>
        Sealed products
      </Heading>
      <p class="lead">What the cards inside are worth on average, next to what the product costs.</p>
      <div class="tools">
        <Choice label="Kind of product" values={TYPES} value={productType} onChange={setType} />
        <Select label="Order" values={ORDERS} value={sort} onChange={setSort} />
      </div>
      {error && <Problem error={error} isKept={data !== undefined} again={again} />}
      {!evs && !error && <Loading what="expected values" />}
      {evs?.length === 0 && (
        <p class="empty">There are no expected values yet: they follow from the prices of cards.</p>
      )}
      <div class="sealed">
        {evs && evs.length > 0 && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard
          <section class="panel scrolls" tabIndex={0} aria-label="Expected values" aria-busy={stale}>
            <table class="plain">
              <thead>
                <tr>
                  <th scope="col">Product</th>
                  <th scope="col" class="number">
                    Expected
                  </th>
                  <th scope="col" class="number">
                    Price
                  </th>
                  <th scope="col" class="number">
                    Difference
                  </th>
                  <th scope="col" class="number wide-only">
                    Ratio
                  </th>
                </tr>
              </thead>
              <tbody>
                {evs.map((ev) => (
                  <tr key={ev.id} class={ev.id === shown?.id ? 'chosen' : ''}>
                    <th scope="row">
                      <button
                        type="button"
                        class="quiet"
                        aria-pressed={ev.id === shown?.id}
                        onClick={() => setChosen(ev)}
                      >
                        {ev.productName}
                      </button>
                    </th>
                    <td class="number">{money(ev.currentEstimatedValue)}</td>
                    <td class="number">{hasPrice(ev) ? money(ev.marketPrice) : '—'}</td>
                    <td class={`number ${(hasPrice(ev) && sign(ev.marketPriceDelta)) || ''}`}>
                      {hasPrice(ev) ? money(ev.marketPriceDelta, { signed: true }) : '—'}
                    </td>
                    <td class="number wide-only">{percent(ev.evRatio)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        )}
        {shown && <Breakdown key={shown.id} ev={shown} />}
      </div>
    </>
  );
}

/** One that is not known is 0 in an expected value. */
function hasPrice({ marketPrice }: { marketPrice?: { decimal: string } | null }): boolean {
  return Number(marketPrice?.decimal ?? 0) > 0;
}

function Breakdown({ ev }: { ev: ProductEv }) {
  const variables = { setType: ev.setType, productType: ev.productType as ProductType };
  const [{ data, error }, again] = useRead({ query: BreakdownDocument, variables });
  const breakdown = data?.evBreakdown;
  return (
    <section class="panel breakdown" aria-labelledby="breakdown">
      <div class="heading">
        <h2 id="breakdown">{ev.productName}</h2>
        <InGraphiql document={BreakdownDocument} variables={variables} />
      </div>
      {error && <Problem error={error} isKept={data !== undefined} again={again} />}
      {!breakdown && !error && <Loading what="what it is made of" />}
      {breakdown && (
        <>
          {breakdown.warning && (
            <div class="notice warn">
              <p>{breakdown.warning}</p>
            </div>
          )}
          <Bars categories={breakdown.categories} />
          {breakdown.distribution && <Spread distribution={breakdown.distribution} />}
        </>
      )}
    </section>
  );
}

function Bars({ categories }: { categories: EvBreakdown['categories'] }) {
  const sorted = categories.toSorted((a, b) => b.contributedValue.value - a.contributedValue.value);
  const most = Math.max(0.01, ...sorted.map(({ contributedValue }) => contributedValue.value));
  return (
    <>
      <h3>What the value is made of</h3>
      <table class="plain bars">
        <thead class="unseen">
          <tr>
            <th scope="col">Category</th>
            <th scope="col">Number, and mean price of one</th>
            <th scope="col">Contributed value</th>
          </tr>
        </thead>
        <tbody>
          {sorted.map(({ category, categoryName, multiplier, averageMarketPrice, contributedValue }) => (
            <tr key={category}>
              <th scope="row">{categoryName}</th>
              <td class="bar">
                <span style={{ width: `${(100 * contributedValue.value) / most}%` }} />
                <small>
                  {count(Math.round(multiplier * 1000) / 1000)} × {money(averageMarketPrice)}
                </small>
              </td>
              <td class="number">{money(contributedValue)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

type Distribution = NonNullable<EvBreakdown['distribution']>;

function Spread({ distribution }: { distribution: Distribution }) {
  const { p5, p25, median, p75, p95, mean, samples, probabilityToBeatMarketPrice: chance } = distribution;
  const points = useMemo(() => quantilesOf(distribution), [distribution]);
  return (
    <>
      <h3>How it is spread</h3>
      <dl class="tiles small">
        <Tile name="Mean" value={money(mean)} />
        <Tile name="Half return less than" value={money(median)} />
        <Tile name="One in twenty returns more than" value={money(p95)} />
        {chance !== null && <Tile name="Return more than the price" value={percent(chance)} />}
      </dl>
      <Chart
        points={points}
        x={{ name: 'Returned', of: ({ amount }) => amount.value, text: ({ amount }) => money(amount) }}
        lines={[
          { name: 'Return at most that', of: ({ share }) => share, text: ({ share }) => percent(share) },
        ]}
        markX={(value) => shortMoney(value, mean.currency)}
        markY={percent}
        height={200}
        summary={`Of ${count(samples)} opened by simulation, 5 % return less than ${money(p5)}, 25 % less than ${money(p25)}, half less than ${money(median)}, 75 % less than ${money(p75)}, 95 % less than ${money(p95)}.`}
      />
      <p class="hint">
        By {count(samples)} simulated openings: the share of products that return at most an amount.
      </p>
    </>
  );
}

/** Products that return the same have one place on the axis: the greater share counts. */
function quantilesOf({ p5, p25, median, p75, p95 }: Distribution) {
  const shares = [0.05, 0.25, 0.5, 0.75, 0.95];
  const points = [p5, p25, median, p75, p95].map((amount, i) => ({ amount, share: shares[i]! }));
  return points.filter(({ amount }, i) => amount.value !== points[i + 1]?.amount.value);
}
