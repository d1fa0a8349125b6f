import { useMutation } from '@urql/preact';
import { useState } from 'preact/hooks';
import { CardPicker, type Variant } from './card-picker.tsx';
import { CURRENCIES } from './currencies.ts';
import {
  type AlertFragment,
  type ChangeDirection,
  CreateAlertDocument,
  type CreatePriceAlertInput,
  type Currency,
  DeleteAlertDocument,
  type PriceAlertCondition,
  PriceAlertsDocument,
  type PriceAlertWhenInput,
} from './generated/graphql.ts';
import { answered, keyOf } from './keys.ts';
import { money, unitPrice } from './money.ts';
import { Choice, Heading, InGraphiql, Loading, Problem, Select } from './parts.tsx';
import { useRead } from './use-read.ts';

const CONDITIONS: Record<PriceAlertCondition, string> = {
  ABOVE: 'rises above',
  BELOW: 'falls below',
  CHANGE: 'changes by',
};
const DIRECTIONS: Record<ChangeDirection, string> = { EITHER: 'up or down', UP: 'up', DOWN: 'down' };
type Target = 'card' | 'collection';
const TARGETS: Record<Target, string> = { card: 'A card', collection: 'This collection' };

export function Alerts({ id, name, currency }: { id: string; name: string; currency: Currency }) {
  const [{ data, error }, again] = useRead({ query: PriceAlertsDocument });
  const [removal, remove] = useMutation(DeleteAlertDocument);
  const alerts = data?.viewer.priceAlerts.nodes;
  return (
    <>
      <Heading aside={<InGraphiql document={PriceAlertsDocument} variables={{}} />}>Alerts</Heading>
      <p class="lead">
        An alert waits for a price. It is checked after each import of prices or exchange rates.
      </p>
      <NewAlert id={id} name={name} currency={currency} />
      {error && <Problem error={error} isKept={data !== undefined} again={again} />}
      {removal.error && <Problem error={removal.error} />}
      <section class="panel">
        <h2 tabIndex={-1}>Your alerts</h2>
        {!alerts && !error && <Loading what="alerts" />}
        {alerts?.length === 0 && <p class="empty">None yet.</p>}
        <ul class="entries">
          {alerts?.map((alert) => (
            <li key={alert.id}>
              <span>
                <b>{nameOf(alert.target)}</b>
                <small>
                  {conditionOf(alert)} · {alert.isMet ? 'met now' : 'not met now'}
                  {alert.lastTrigger &&
                    ` · last fired on ${alert.lastTrigger.day} at ${money(alert.lastTrigger.value)}`}
                </small>
              </span>
              <button
                type="button"
                class="quiet"
                disabled={removal.fetching}
                onClick={({ currentTarget }) => {
                  // The button goes away with its alert, and the focus would go with it.
                  currentTarget.closest('section')!.querySelector('h2')!.focus();
                  void remove({ input: { id: alert.id } });
                }}
              >
                Delete <span class="unseen">the alert on {nameOf(alert.target)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    </>
  );
}

type Named =
  | { __typename: 'Collection'; name: string }
  | { __typename: 'Variant'; variantName: string; product: { name: string } };

export function nameOf(target: Named): string {
  return target.__typename === 'Collection' ? target.name : `${target.product.name}, ${target.variantName}`;
}

function conditionOf({ condition, amount, percent, days, direction }: AlertFragment): string {
  if (condition === 'CHANGE') return `changes by ${percent}% ${DIRECTIONS[direction!]} in ${days} days`;
  return `${CONDITIONS[condition]} ${unitPrice(amount!)}`;
}

function NewAlert({ id, name, currency: preferred }: { id: string; name: string; currency: Currency }) {
  const [{ data, error, fetching }, create] = useMutation(CreateAlertDocument);
  const [target, setTarget] = useState<Target>('card');
  const [variant, setVariant] = useState<Variant | null>(null);
  const [condition, setCondition] = useState<PriceAlertCondition>('BELOW');
  const [amount, setAmount] = useState('');
  const [currency, setCurrency] = useState<Currency>(preferred);
  const [percent, setPercent] = useState('10');
  const [days, setDays] = useState('7');
  const [direction, setDirection] = useState<ChangeDirection>('EITHER');
  const targetId = target === 'collection' ? id : variant?.id;
  const limit = { currency, value: Number(amount) };
  const whens: Record<PriceAlertCondition, PriceAlertWhenInput> = {
    ABOVE: { above: limit },
    BELOW: { below: limit },
    CHANGE: { change: { percent: Number(percent), days: Number(days), direction } },
  };
  const input: CreatePriceAlertInput = { targetId: targetId ?? '', when: whens[condition] };
  const result = data?.createPriceAlert;
  const numberField = (
    label: string,
    value: string,
    set: (value: string) => void,
    [min, max, step]: number[],
  ) => (
    <label class="field">
      {label}
      <input
        type="number"
        required
        min={min}
        max={max}
        step={step}
        value={value}
        onInput={(event) => set(event.currentTarget.value)}
      />
    </label>
  );
  const submit = async (event: Event) => {
    event.preventDefault();
    if (!targetId) return;
    const { data: made } = await create({ input: { ...input, idempotencyKey: keyOf(input) } });
    if (made) answered(input);
  };
  return (
    <form class="panel record" onSubmit={submit}>
      <h2>Tell me when</h2>
      <Choice label="What it waits for" values={TARGETS} value={target} onChange={setTarget} />
      {target === 'card' ? <CardPicker label="Card" variant={variant} onPick={setVariant} /> : <p>{name}</p>}
      <div class="fields">
        <Select label="Condition" values={CONDITIONS} value={condition} onChange={setCondition} />
        {condition === 'CHANGE' ? (
          <>
            {numberField('Percent', percent, setPercent, [0.01, 10_000, 0.01])}
            {numberField('Days', days, setDays, [1, 365, 1])}
            <Select label="Direction" values={DIRECTIONS} value={direction} onChange={setDirection} />
          </>
        ) : (
          <>
            {numberField('Amount', amount, setAmount, [0, 1_000_000_000, 0.0001])}
            <Select label="Currency" values={CURRENCIES} value={currency} onChange={setCurrency} />
          </>
        )}
      </div>
      <button type="submit" disabled={!targetId || fetching}>
        Create the alert
      </button>
      {result && 'message' in result && <Problem error={new Error(result.message)} />}
      {error && <Problem error={error} />}
      <InGraphiql document={CreateAlertDocument} variables={{ input }} />
    </form>
  );
}
