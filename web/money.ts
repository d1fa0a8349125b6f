/** An amount as the API gives it: exact, and written by the browser's language. */
export interface Amount {
  currency: string;
  decimal: string;
}

const formats = new Map<string, Intl.NumberFormat>();

function formatOf(key: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const format = formats.get(key) ?? new Intl.NumberFormat(undefined, options);
  formats.set(key, format);
  return format;
}

/** With a minus sign in place of a hyphen, behind which a line may break. */
function written(format: Intl.NumberFormat, value: number | Intl.StringNumericLiteral): string {
  return format.format(value).replace('-', '−');
}

/** The amount, `—` where none is known; `signed` puts a plus before gains. */
export function money(amount: Amount | null | undefined, { signed = false } = {}): string {
  if (!amount) return '—';
  const { currency, decimal } = amount;
  const signDisplay = signed ? 'exceptZero' : 'auto';
  const format = formatOf(`${currency} ${signDisplay}`, { style: 'currency', currency, signDisplay });
  // Texts are formatted with all their digits, which numbers may not have.
  return written(format, decimal as Intl.StringNumericLiteral);
}

/** As `money`, with as many decimals as a price of one can have. */
export function unitPrice({ currency, decimal }: Amount): string {
  const format = formatOf(`${currency} one`, { style: 'currency', currency, maximumFractionDigits: 4 });
  return written(format, decimal as Intl.StringNumericLiteral);
}

/** Some amount in few signs, for the axis of a chart. */
export function shortMoney(value: number, currency: string): string {
  return written(formatOf(`${currency} short`, { style: 'currency', currency, notation: 'compact' }), value);
}

/** A share such as 0.25 as `25 %`; `—` where it is null. */
export function percent(share: number | null | undefined, { signed = false } = {}): string {
  if (share === null || share === undefined) return '—';
  const signDisplay = signed ? 'exceptZero' : 'auto';
  const format = formatOf(`% ${signDisplay}`, { style: 'percent', maximumFractionDigits: 1, signDisplay });
  return written(format, share);
}

export function count(number: number): string {
  return written(formatOf('count', {}), number);
}

/** The number with a noun: `1 card`, `1,200 cards`. */
export function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** `gain`, `loss` or nothing, for the colour of an amount that may be either. */
export function sign(amount: Amount | null | undefined): 'gain' | 'loss' | undefined {
  const number = Number(amount?.decimal ?? 0);
  if (number === 0) return undefined;
  return number > 0 ? 'gain' : 'loss';
}

/** Today in UTC, `YYYY-MM-DD`, moved by so many days. */
export function day(offset = 0): string {
  return new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
}
