import { useClient } from '@urql/preact';
import { useEffect, useState } from 'preact/hooks';
import { CardPicker, type Variant } from './card-picker.tsx';
import { CURRENCIES } from './currencies.ts';
import {
  type Action,
  BeforeRecordingDocument,
  type CreateTransactionInput,
  type Currency,
  FindCardsDocument,
  RecentDocument,
  RecordDocument,
  UndoDocument,
} from './generated/graphql.ts';
import { newKey } from './keys.ts';
import { type Amount, count, day, unitPrice } from './money.ts';
import { Choice, Heading, InGraphiql, inWords, Loading, Problem, Select } from './parts.tsx';
import { useRead } from './use-read.ts';

/** What was recorded on this page, shown before the server has answered. */
interface Entry {
  /** Its idempotency key: sent again, it is recorded once. */
  key: string;
  input: CreateTransactionInput;
  card: string;
  state: 'sending' | 'recorded' | 'refused' | 'undoing' | 'undone';
  id?: string;
  reason?: string;
}

const ACTIONS: Record<Action, string> = { PURCHASE: 'Bought', SALE: 'Sold' };
const STATES: Record<Entry['state'], string> = {
  sending: 'recording …',
  recorded: 'recorded',
  refused: 'not recorded',
  undoing: 'undoing …',
  undone: 'undone',
};

export function Record({ id, name, currency: preferred }: { id: string; name: string; currency: Currency }) {
  const { entries, record, undo } = useEntries(id);
  const [variant, setVariant] = useState<Variant | null>(null);
  const [action, setAction] = useState<Action>('PURCHASE');
  const [quantity, setQuantity] = useState('1');
  const [price, setPrice] = useState('');
  const [currency, setCurrency] = useState<Currency>(preferred);
  const [date, setDate] = useState(day());

  const pick = (picked: Variant) => {
    setVariant(picked);
    // What it costs now is a good guess, of what it costs in that currency alone.
    const { marketPrice } = picked;
    if (marketPrice) {
      setPrice(marketPrice.decimal);
      setCurrency(marketPrice.currency);
    }
  };
  const submit = (event: Event) => {
    event.preventDefault();
    if (!variant) return;
    record(`${variant.product.name}, ${variant.variantName}`, {
      collectionId: id,
      variantId: variant.id,
      action,
      quantity: Number(quantity),
      occurredDate: date,
      unitAmount: { currency, value: Number(price) },
    });
  };

  return (
    <>
      <Heading
        aside={
          <InGraphiql document={FindCardsDocument} variables={{ text: variant?.product.name ?? 'ninja' }} />
        }
      >
        Record
      </Heading>
      <p class="lead">What was bought or sold of one card, in {name}.</p>
      <form class="panel record" onSubmit={submit}>
        <CardPicker label="Card" variant={variant} onPick={pick} />
        <div class="fields">
          <Choice label="Bought or sold" values={ACTIONS} value={action} onChange={setAction} />
          <label class="field">
            Quantity
            <input
              type="number"
              required
              min={1}
              max={1_000_000}
              step={1}
              value={quantity}
              onInput={(event) => setQuantity(event.currentTarget.value)}
            />
          </label>
          <label class="field">
            Price of one
            <input
              type="number"
              required
              min={0}
              max={1_000_000_000}
              step={0.0001}
              inputMode="decimal"
              value={price}
              onInput={(event) => setPrice(event.currentTarget.value)}
            />
          </label>
          <Select label="Currency" values={CURRENCIES} value={currency} onChange={setCurrency} />
          <label class="field">
            Day
            <input
              type="date"
              required
              min="1970-01-01"
              max={day(1)}
              value={date}
              onInput={(event) => setDate(event.currentTarget.value)}
            />
          </label>
        </div>
        {variant && (
          <Held collectionId={id} variantId={variant.id} sold={action === 'SALE' ? Number(quantity) : 0} />
        )}
        <button type="submit" disabled={!variant}>
          Record
        </button>
        {!variant && <p class="hint">Choose a card first.</p>}
      </form>
      <section class="panel">
        <h2>Recorded here</h2>
        <div role="status">
          {entries.length === 0 && <p class="empty">Nothing yet on this page.</p>}
          <ul class="entries">
            {entries.map((entry) => (
              <li key={entry.key} class={entry.state} tabIndex={-1}>
                <span>
                  <b>
                    {ACTIONS[entry.input.action]} {count(entry.input.quantity)} × {entry.card}
                  </b>
                  <small>
                    {entry.input.occurredDate}, {unitPrice(amountOf(entry.input))} each ·{' '}
                    {STATES[entry.state]}
                    {entry.reason && `: ${entry.reason}`}
                  </small>
                </span>
                {entry.state === 'recorded' && (
                  <button
                    type="button"
                    class="quiet"
                    onClick={(event) => {
                      focusEntry(event);
                      undo(entry);
                    }}
                  >
                    Undo
                  </button>
                )}
                {entry.state === 'refused' && (
                  <button
                    type="button"
                    class="quiet"
                    onClick={(event) => {
                      focusEntry(event);
                      record(entry.card, entry.input, entry.key);
                    }}
                  >
                    Try again
                  </button>
                )}
              </li>
            ))}
          </ul>
        </div>
        {variant && (
          <InGraphiql
            document={RecordDocument}
            variables={{
              input: {
                collectionId: id,
                variantId: variant.id,
                action,
                quantity: Number(quantity),
                occurredDate: date,
                unitAmount: { currency, value: Number(price) },
              },
            }}
          />
        )}
      </section>
      <Recent id={id} />
    </>
  );
}

/** The button goes away when it is pressed, and the focus would go with it. */
function focusEntry({ currentTarget }: { currentTarget: HTMLElement }): void {
  currentTarget.closest('li')!.focus();
}

/** How many of the variant are held, and whether a sale is of more than that: before it is recorded, and after. */
function Held({ collectionId, variantId, sold }: { collectionId: string; variantId: string; sold: number }) {
  const [{ data, error, stale }, again] = useRead({
    query: BeforeRecordingDocument,
    variables: { collectionId, variantId },
  });
  if (error) return <Problem error={error} isKept={data !== undefined} again={again} />;
  const isOfOther = stale && data?.variant?.id !== variantId;
  if (!data || isOfOther) return null;
  const held = data.collection?.transactionSummary?.quantity ?? 0;
  const beyond = sold - Math.max(0, held);
  return (
    <div role="status">
      <p class="hint">
        Held in {data.collection?.name}: {count(held)}.
      </p>
      {held < 0 && (
        <p class="warns">More were sold than bought, by {count(-held)}: record the purchase, too.</p>
      )}
      {beyond > 0 && (
        <p class="warns">
          {sold === beyond ? 'None' : `Only ${count(held)}`} of the {count(sold)} to be sold{' '}
          {sold === beyond || held > 1 ? 'are' : 'is'} held. The sale is recorded all the same, and what is
          beyond counts at a cost of 0.
        </p>
      )}
    </div>
  );
}

/** Entries stay while other views are looked at. */
const kept = new Map<string, Entry[]>();

/** What the page records is shown at once, and says how it went; what is undone is taken back where that fails. */
function useEntries(collectionId: string) {
  const client = useClient();
  const [entries, setEntries] = useState<Entry[]>(kept.get(collectionId) ?? []);
  useEffect(() => setEntries(kept.get(collectionId) ?? []), [collectionId]);

  const put = (entry: Entry) => {
    const before = kept.get(entry.input.collectionId) ?? [];
    const known = before.some(({ key }) => key === entry.key);
    const after = known ? before.map((each) => (each.key === entry.key ? entry : each)) : [entry, ...before];
    kept.set(entry.input.collectionId, after);
    if (entry.input.collectionId === collectionId) setEntries(after);
  };
  const record = async (card: string, input: CreateTransactionInput, key: string = newKey()) => {
    const entry: Entry = { key, input, card, state: 'sending' };
    put(entry);
    const { data, error } = await client
      .mutation(RecordDocument, { input: { ...input, idempotencyKey: key } })
      .toPromise();
    const result = data?.createTransaction;
    if (result?.__typename === 'CreateTransactionPayload') {
      put({ ...entry, state: 'recorded', id: result.transaction.id });
    } else put({ ...entry, state: 'refused', reason: reasonOf(result, error) });
  };
  const undo = async (entry: Entry) => {
    put({ ...entry, state: 'undoing' });
    const { data, error } = await client.mutation(UndoDocument, { input: { id: entry.id! } }).toPromise();
    const result = data?.deleteTransaction;
    if (result?.__typename === 'DeleteTransactionPayload') put({ ...entry, state: 'undone' });
    else put({ ...entry, reason: reasonOf(result, error) });
  };
  return { entries, record, undo };
}

function reasonOf(result: object | undefined, error: Error | undefined): string {
  if (result && 'message' in result) return String(result.message);
  return error ? inWords(error) : 'the server did not say why';
}

function amountOf({ unitAmount }: CreateTransactionInput): Amount {
  return { currency: unitAmount.currency, decimal: String(unitAmount.value) };
}

function Recent({ id }: { id: string }) {
  const [{ data, error }, again] = useRead({ query: RecentDocument, variables: { id } });
  const transactions = data?.collection?.transactions.nodes.toReversed();
  return (
    <section class="panel">
      <div class="heading">
        <h2>Latest in the collection</h2>
        <InGraphiql document={RecentDocument} variables={{ id }} />
      </div>
      {error && <Problem error={error} isKept={data !== undefined} again={again} />}
      {!transactions && !error && <Loading what="transactions" />}
      {transactions?.length === 0 && <p class="empty">No transactions yet.</p>}
      {transactions && transactions.length > 0 && (
        <ul class="entries">
          {transactions.map(({ id: own, action, quantity, occurred, unitAmount, variant }) => (
            <li key={own}>
              <span>
                <b>
                  {ACTIONS[action]} {count(quantity)} × {variant.product.name}
                </b>
                <small>
                  {occurred.slice(0, 10)}, {unitPrice(unitAmount)} each · {variant.variantName}
                </small>
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
