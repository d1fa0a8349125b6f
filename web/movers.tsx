import { useState } from 'preact/hooks';
import {
  type MovedFragment,
  type MoverMeasure,
  type MoverPeriod,
  MoversDocument,
} from './generated/graphql.ts';
import { counted, money, percent, sign } from './money.ts';
import { Choice, InGraphiql, Loading, Picture, Problem } from './parts.tsx';
import { useRead } from './use-read.ts';

const PERIODS: Record<MoverPeriod, string> = {
  DAY: '1 day',
  WEEK: '1 week',
  MONTH: '1 month',
  YEAR: '1 year',
};
const MEASURES: Record<MoverMeasure, string> = { PERCENTAGE: 'In percent', AMOUNT: 'In money' };

/** What of the valued collections has gained or lost most. */
export function Movers() {
  const [period, setPeriod] = useState<MoverPeriod>('MONTH');
  const [by, setBy] = useState<MoverMeasure>('PERCENTAGE');
  const variables = { period, by };
  const [{ data, error, stale }, again] = useRead({ query: MoversDocument, variables });
  const { gained, lost } = data?.viewer.dashboard ?? {};
  return (
    <section class="panel" aria-busy={stale}>
      <div class="heading">
        <h2>What moved</h2>
        <div class="choices">
          <Choice label="By what" values={MEASURES} value={by} onChange={setBy} />
          <Choice label="Over" values={PERIODS} value={period} onChange={setPeriod} />
        </div>
      </div>
      {error && <Problem error={error} isKept={data !== undefined} again={again} />}
      {!data && !error && <Loading what="what moved" />}
      {gained && lost && (
        <>
          <p class="hint">{daysOf(gained)}</p>
          {gained.to !== null && (
            <div class="pair">
              <Moved title="Gained" none="Nothing has gained." movers={gained.movers} />
              <Moved title="Lost" none="Nothing has lost." movers={lost.movers} />
            </div>
          )}
        </>
      )}
      <InGraphiql document={MoversDocument} variables={variables} />
    </section>
  );
}

/** Of which days the prices are, and what is not known of them. */
function daysOf({ from, to, unknownCount }: MovedFragment): string {
  if (to === null) return 'No prices are loaded.';
  const unknown = counted(unknownCount, 'variant');
  const left = unknownCount > 0 ? ` Left out: ${unknown} without a price on one of these days.` : '';
  return `The prices of ${to} beside those of ${from}.${left}`;
}

function Moved(props: { title: string; none: string; movers: MovedFragment['movers'] }) {
  return (
    <div>
      <h3>{props.title}</h3>
      {props.movers.length === 0 && <p class="empty">{props.none}</p>}
      <ul class="entries">
        {props.movers.map(({ variant, quantity, price, change, changeRatio }) => (
          <li key={variant.id}>
            <span class="option-card">
              <Picture url={variant.product.imageUrl} />
              <span>
                <b>{variant.product.name}</b>
                <small>
                  {variant.variantName} · {quantity} × {money(price)}
                </small>
              </span>
            </span>
            <span class={`number ${sign(change) ?? ''}`}>
              <b>{percent(changeRatio, { signed: true })}</b>
              <small>{money(change, { signed: true })}</small>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
