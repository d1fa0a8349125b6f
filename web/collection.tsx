import { useClient, useQuery } from '@urql/preact';
import { useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Combobox } from './combobox.tsx';
import { HoldingsDocument, SuggestDocument, type TransactionSummarySort } from './generated/graphql.ts';
import { onChange } from './live.ts';
import { count, counted, money, percent, sign } from './money.ts';
import { Heading, InGraphiql, inWords, Loading, Picture, Problem, Select, useSettled } from './parts.tsx';
import { type Holding, type HoldingsOrder, Rows } from './rows.ts';

const ORDERS = {
  ALPHABETICAL: 'Name',
  CARD_NUMBER: 'Card number',
  CHRONOLOGICAL: 'First transaction',
  QUANTITY: 'Quantity held',
  UNIT_VALUE: 'Price of one',
  MARKET_VALUE: 'Value',
  GAIN: 'Gain',
  PERCENTAGE_GAIN: 'Gain in percent',
} as const satisfies Record<TransactionSummarySort, string>;

/** Orders that begin at the lowest. */
const RISING: readonly TransactionSummarySort[] = ['ALPHABETICAL', 'CARD_NUMBER', 'CHRONOLOGICAL'];

/** Pixels, as `style.css` has it too. */
const ROW_HEIGHT = 60;
/** Rows beyond those that are seen, on either side. */
const SPARE = 8;

interface Column {
  text: string;
  sort: TransactionSummarySort;
  class: string;
}

const COLUMNS: readonly Column[] = [
  { text: 'Card', sort: 'ALPHABETICAL', class: 'name' },
  { text: 'Number', sort: 'CARD_NUMBER', class: 'code' },
  { text: 'Held', sort: 'QUANTITY', class: 'number held' },
  { text: 'Price', sort: 'UNIT_VALUE', class: 'number price' },
  { text: 'Value', sort: 'MARKET_VALUE', class: 'number value' },
  { text: 'Gain', sort: 'GAIN', class: 'number gains' },
  { text: '%', sort: 'PERCENTAGE_GAIN', class: 'number share' },
];

export function Collection({ id, name }: { id: string; name: string }) {
  const [sort, setSort] = useState<TransactionSummarySort>('MARKET_VALUE');
  const [reverse, setReverse] = useState(false);
  const [text, setText] = useState('');
  const search = useSettled(text.trim(), 200);
  const order = useMemo(() => ({ id, sort, reverse, search: search || null }), [id, sort, reverse, search]);
  const { rows, error, again, isStale, refresh, want } = useRows(order);
  const failure = error && queryError(error, search);
  const sortBy = (by: TransactionSummarySort) => {
    setReverse(by === sort ? !reverse : false);
    setSort(by);
  };

  return (
    <>
      <Heading aside={<InGraphiql document={HoldingsDocument} variables={{ ...order, first: 20 }} />}>
        {name}
      </Heading>
      <div class="tools">
        <QueryInput text={text} onText={setText} error={failure} />
        <Select label="Order" values={ORDERS} value={sort} onChange={setSort} />
        <button type="button" class="quiet" aria-pressed={reverse} onClick={() => setReverse(!reverse)}>
          Reverse the order
        </button>
      </div>
      {error && !failure && <Problem error={error} isKept={rows.total !== null} again={again} />}
      <p class="lead" role="status">
        {rows.total !== null &&
          `${counted(rows.total, 'variant')}${rows.order.search ? ' match' : ' held'}. `}
        {isStale && (
          <button type="button" class="quiet" onClick={refresh}>
            Something changed: put it in order again
          </button>
        )}
      </p>
      {rows.total === null && !error && <Loading what="what is held" />}
      {rows.total === 0 && !rows.order.search && (
        <p class="empty">
          Nothing is held here yet. <a href="#/record">Record a purchase</a> or{' '}
          <a href="#/import">import a file</a>.
        </p>
      )}
      {rows.total !== null && rows.total > 0 && <Table rows={rows} sortBy={sortBy} want={want} name={name} />}
    </>
  );
}

/**
 * The rows of the order. Those of the order before stay until the first of the new ones are there, also where these cannot
 * be read; and while what is looked at lies far down a change is put into them as they stand.
 */
function useRows(order: HoldingsOrder) {
  const client = useClient();
  const [, redraw] = useState({});
  const [isStale, setStale] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const shown = useRef<Rows | null>(null);
  const wanted = useRef<[number, number]>([0, 1]);
  const wantedOf = useRef(order);
  if (wantedOf.current !== order) {
    wantedOf.current = order;
    wanted.current = [0, 1];
  }

  // Another attempt reads the same order again.
  const rows = useMemo(() => {
    const next: Rows = new Rows(client, order, () => {
      const isNew = shown.current !== next && next.total !== null;
      if (isNew) {
        shown.current?.close();
        shown.current = next;
        setStale(false);
      }
      redraw({});
    });
    return next;
  }, [client, order, attempt]);
  shown.current ??= rows;

  // Before the frame: the answer is waited for.
  useLayoutEffect(() => {
    rows.want(...wanted.current);
    return () => {
      if (shown.current !== rows) rows.close();
    };
  }, [rows]);

  useEffect(
    () =>
      onChange((collectionId, change) => {
        if (collectionId !== order.id) return;
        shown.current?.patch(change?.transactionSummaries ?? []);
        if (wanted.current[0] === 0) setAttempt((before) => before + 1);
        else setStale(true);
      }),
    [order.id],
  );

  const want = (from: number, to: number) => {
    wanted.current = [from, to];
    shown.current?.want(from, to);
  };
  const refresh = () => setAttempt(attempt + 1);
  const isBehind = shown.current !== rows || rows.isKept;
  const again = isBehind ? refresh : () => rows.retry();
  return { rows: shown.current, error: rows.error, again, isStale, refresh, want };
}

interface QueryError {
  /** From 1. */
  column: number;
  message: string;
  query: string;
}

/** What the search says of a query that it cannot read. */
function queryError(error: Error, query: string): QueryError | null {
  const [, column, message] = /^Column (\d+): (.*)$/s.exec(inWords(error)) ?? [];
  return column === undefined ? null : { column: Number(column), message: message!, query };
}

function QueryInput(props: { text: string; onText: (text: string) => void; error: QueryError | null }) {
  const id = useId();
  const settled = useSettled(props.text, 120);
  const [{ data }] = useQuery({
    query: SuggestDocument,
    variables: { text: settled },
    pause: settled.trim() === '' || settled.length > 200,
  });
  const options =
    settled.trim() === '' || settled !== props.text
      ? []
      : (data?.suggest ?? []).map(({ kind, text, completion }) => ({
          key: `${kind} ${text}`,
          text,
          content: (
            <>
              <b>{completion}</b> <small>{kind.toLowerCase()}</small>
            </>
          ),
        }));
  const { error } = props;
  return (
    <div class="query">
      <Combobox
        label="Search"
        placeholder="class:ninja pitch:red quantity>2"
        text={props.text}
        onText={props.onText}
        options={options}
        onChoose={({ text }) => props.onText(text)}
        errorId={error ? id : undefined}
      />
      {error && (
        <p class="wrong" id={id} role="alert">
          <code>
            {error.query.slice(0, error.column - 1)}
            <mark>{error.query.slice(error.column - 1) || ' '}</mark>
          </code>
          Column {error.column}: {error.message}
        </p>
      )}
    </div>
  );
}

function Table(props: {
  rows: Rows;
  name: string;
  sortBy: (sort: TransactionSummarySort) => void;
  want: (from: number, to: number) => void;
}) {
  const { rows, want } = props;
  const { sort, reverse } = rows.order;
  const total = rows.total ?? 0;
  const window = useRef<HTMLDivElement>(null);
  const [[from, to], setSeen] = useState<[number, number]>([0, 20]);

  const look = () => {
    // The last word of an observer may come when the table is gone.
    if (!window.current) return;
    const { scrollTop, clientHeight } = window.current;
    const first = Math.max(0, Math.floor(scrollTop / ROW_HEIGHT) - SPARE);
    const last = Math.ceil((scrollTop + clientHeight) / ROW_HEIGHT) + SPARE;
    if (first !== from || last !== to) setSeen([first, last]);
  };
  // Once it is there, and when it has another size.
  useEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(window.current!);
    return () => watch.disconnect();
  }, []);
  // Another order is looked at from its start.
  useEffect(() => {
    window.current!.scrollTop = 0;
    look();
  }, [rows.order]);
  // As often as other rows are seen.
  useEffect(() => want(from, to), [from, to]);

  const places = Array.from({ length: Math.max(0, Math.min(to, total) - from) }, (_, i) => from + i);
  const isAscending = RISING.includes(sort) !== reverse;
  return (
    // biome-ignore-start lint/a11y: a table whose rows are made as they are looked at is no HTML table
    <div
      class="holdings"
      ref={window}
      onScroll={look}
      tabIndex={0}
      role="table"
      aria-label={`What ${props.name} holds`}
      aria-rowcount={total + 1}
    >
      <div role="rowgroup" class="holdings-head">
        <div role="row" aria-rowindex={1} class="holding">
          <span role="columnheader" class="art">
            <span class="unseen">Picture</span>
          </span>
          {COLUMNS.map(({ text, sort: by, class: name }) => (
            <span
              key={by}
              role="columnheader"
              class={name}
              aria-sort={by !== sort ? 'none' : isAscending ? 'ascending' : 'descending'}
            >
              <button type="button" onClick={() => props.sortBy(by)} title={`Order by ${ORDERS[by]}`}>
                {text}
                <span aria-hidden="true">{by === sort ? (isAscending ? ' ▲' : ' ▼') : ''}</span>
              </button>
            </span>
          ))}
        </div>
      </div>
      <div role="rowgroup" class="holdings-body" style={{ height: `${total * ROW_HEIGHT}px` }}>
        {places.map((i) => (
          <Row key={i} index={i} holding={rows.at(i)} />
        ))}
      </div>
    </div>
    // biome-ignore-end lint/a11y: as above
  );
}

function Row({ index, holding }: { index: number; holding: Holding | undefined }) {
  const place = {
    role: 'row',
    'aria-rowindex': index + 2,
    class: 'holding',
    style: { transform: `translateY(${index * ROW_HEIGHT}px)` },
  } as const;
  if (!holding) {
    return (
      <div {...place}>
        <span role="cell" class="art">
          <Picture url="" />
        </span>
        <span role="cell" class="name waiting">
          …
        </span>
      </div>
    );
  }
  const { variant, quantity, gain } = holding;
  const { product } = variant;
  return (
    <div {...place}>
      <span role="cell" class="art">
        <Picture url={product.imageUrl} />
      </span>
      <span role="cell" class="name">
        <b>{product.name}</b>
        <small>
          <span class="phone-only">{count(quantity)} × </span>
          {variant.variantName}
          {holding.warning && <span class="warns"> · {holding.warning}</span>}
        </small>
      </span>
      <span role="cell" class="code">
        {product.number ?? '—'}
      </span>
      <span role="cell" class="number held">
        {count(quantity)}
      </span>
      <span role="cell" class="number price">
        {money(variant.marketPrice)}
      </span>
      <span role="cell" class="number value">
        {money(holding.marketValue)}
      </span>
      <span role="cell" class={`number gains ${sign(gain) ?? ''}`}>
        {money(gain, { signed: true })}
      </span>
      <span role="cell" class={`number share ${sign(gain) ?? ''}`}>
        {percent(holding.gainRatio, { signed: true })}
      </span>
    </div>
  );
}
