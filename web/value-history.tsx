import { useMemo, useState } from 'preact/hooks';
import { Chart } from './chart.tsx';
import { type Interval, ValueHistoryDocument, type ValueHistoryQuery } from './generated/graphql.ts';
import { counted, day, money, percent, shortMoney, sign } from './money.ts';
import { Choice, InGraphiql, Loading, Problem, Tile } from './parts.tsx';
import { useRead } from './use-read.ts';

/** How far back, and how near to each other the points are. */
const RANGES = {
  month: { text: '1 month', days: 30, interval: 'DAY' },
  quarter: { text: '3 months', days: 91, interval: 'DAY' },
  year: { text: '1 year', days: 365, interval: 'WEEK' },
  years: { text: '5 years', days: 5 * 365, interval: 'MONTH' },
} as const satisfies Record<string, { text: string; days: number; interval: Interval }>;
type Range = keyof typeof RANGES;
const RANGE_NAMES = Object.fromEntries(
  Object.entries(RANGES).map(([name, { text }]) => [name, text]),
) as Record<Range, string>;

type Sums = ValueHistoryQuery['viewer']['dashboard'];
type Points = NonNullable<Sums['valueHistory']>;

/** What the valued collections were worth, what they had cost, and how they did over a time. */
export function ValueHistory() {
  const [range, setRange] = useState<Range>('year');
  const { days, interval } = RANGES[range];
  const variables = { from: day(-days), to: day(), interval };
  const [{ data, error, stale }, again] = useRead({ query: ValueHistoryDocument, variables });
  const { valueHistory, performance } = data?.viewer.dashboard ?? {};
  return (
    <section class="panel" aria-busy={stale}>
      <div class="heading">
        <h2>Value over time</h2>
        <Choice label="Range" values={RANGE_NAMES} value={range} onChange={setRange} />
      </div>
      {error && <Problem error={error} isKept={data !== undefined} again={again} />}
      {!data && !error && <Loading what="the history" />}
      {valueHistory && <Told history={valueHistory} range={RANGE_NAMES[range]} />}
      {performance && <Performance of={performance} />}
      <InGraphiql document={ValueHistoryDocument} variables={variables} />
    </section>
  );
}

function Performance({
  of: { paidIn, takenOut, gain, timeWeightedReturn, warning },
}: {
  of: NonNullable<Sums['performance']>;
}) {
  // What would count cards as worth nothing, for want of a price, is no gain and no return.
  const isKnown = warning === null;
  const unknown = 'not known: prices are missing';
  return (
    <>
      <dl class="tiles small">
        <Tile name="Paid in" value={money(paidIn)} note="by purchases in that time" />
        <Tile name="Taken out" value={money(takenOut)} note="by sales" />
        <Tile
          name="Gained"
          value={money(isKnown ? gain : null, { signed: true })}
          tone={isKnown ? sign(gain) : undefined}
          note={isKnown ? 'held or sold' : unknown}
        />
        <Tile
          name="Return"
          value={percent(isKnown ? timeWeightedReturn.value : null, { signed: true })}
          note={isKnown ? 'time-weighted' : unknown}
        />
      </dl>
      {warning && <p class="hint">{warning}</p>}
    </>
  );
}

/** The history, or why there is none. */
function Told({ history, range }: { history: Points; range: string }) {
  if (!history.some(hasAnything)) return <p class="empty">Nothing was held in this time.</p>;
  const isPriced = history.some(({ marketValue }) => marketValue.value > 0);
  if (!isPriced && history.at(-1)!.unpricedVariants > 0)
    return <p class="empty">No price of what was held is known, so there is no value to draw.</p>;
  return <History history={history} range={range} />;
}

function History({ history, range }: { history: Points; range: string }) {
  const points = useMemo(() => fromKnown(history), [history]);
  const [first, last] = [points[0]!, points.at(-1)!];
  const value = (point: Points[number]) => (isKnown(point, last) ? point.marketValue : null);
  return (
    <>
      <Chart
        points={points}
        isTime
        x={{ name: 'Day', of: secondsOf, text: ({ date }) => date }}
        lines={[
          {
            name: 'Value',
            of: (point) => value(point)?.value ?? null,
            text: (point) => money(value(point)),
          },
          { name: 'Invested', of: (point) => point.invested.value, text: (point) => money(point.invested) },
        ]}
        markY={(value) => shortMoney(value, first.marketValue.currency)}
        summary={`${range}: from ${money(first.marketValue)} on ${first.date} to ${money(last.marketValue)} on ${last.date}, for cards that had cost ${money(last.invested)}.`}
      />
      {history.some((point) => point.date < first.date && hasAnything(point)) && (
        <p class="hint">
          It begins on {first.date}: of days before, not all prices of what was held are known.
        </p>
      )}
      {last.unpricedVariants > 0 && (
        <p class="hint">
          {counted(last.unpricedVariants, 'variant')} without a known price{' '}
          {last.unpricedVariants === 1 ? 'counts' : 'count'} as 0.
        </p>
      )}
      <details>
        <summary>The figures as a table</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by the keyboard */}
        <section class="scrolls" tabIndex={0} aria-label="Value over time">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Day</th>
                <th scope="col" class="number">
                  Value
                </th>
                <th scope="col" class="number">
                  Invested
                </th>
              </tr>
            </thead>
            <tbody>
              {points.toReversed().map((point) => (
                <tr key={point.date}>
                  <th scope="row">{point.date}</th>
                  <td class="number">{money(value(point))}</td>
                  <td class="number">{money(point.invested)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}

/** Whether a value leaves out no more variants, for want of a price, than the last one does, and not all. */
function isKnown({ unpricedVariants, marketValue }: Points[number], last: Points[number]): boolean {
  const isOfNone = unpricedVariants > 0 && marketValue.value === 0;
  return unpricedVariants <= last.unpricedVariants && !isOfNone;
}

function hasAnything({ marketValue, invested }: Points[number]): boolean {
  return marketValue.value > 0 || invested.value > 0;
}

/** As the browser's own days begin. */
function secondsOf({ date }: Points[number]): number {
  return Date.parse(`${date}T00:00:00`) / 1000;
}

/** From the first point on at which there was anything, and its value is known; with the point before it, if it is. */
function fromKnown(history: Points): Points {
  const last = history.at(-1)!;
  const first = history.findIndex((point) => hasAnything(point) && isKnown(point, last));
  const before = history[first - 1];
  return history.slice(Math.max(0, before && isKnown(before, last) ? first - 1 : first));
}
