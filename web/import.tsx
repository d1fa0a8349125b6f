import { useClient } from '@urql/preact';
import { useEffect, useState } from 'preact/hooks';
import { cellsOf, headerOf, rowOf, rowsOf, separatorOf } from './csv.ts';
import { CURRENCIES } from './currencies.ts';
import {
  type Currency,
  ImportDocument,
  type ImportMutation,
  type ImportTransactionsInput,
  type TransactionFormat,
} from './generated/graphql.ts';
import { answered, keyOf } from './keys.ts';
import { count, counted } from './money.ts';
import { Heading, InGraphiql, inWords, Problem, Select } from './parts.tsx';

type Report = Extract<ImportMutation['importTransactions'], { __typename: 'ImportTransactionsPayload' }>;
type RowError = Report['errors'][number];

/** The size of a request, with what stands around the file. */
const MAX_BYTES = 1024 * 1024 - 4096;

const FORMATS: Record<TransactionFormat, string> = {
  ARCHIDEKT: 'a collection of Archidekt',
  CARDLEDGER: 'cardledger’s own format',
  COLLECTR: 'a portfolio of Collectr',
  COLUMNS: 'a file with columns that were named',
  DRAGON_SHIELD: 'a collection of Dragon Shield',
  FABRARY: 'a collection of FaBrary',
  LIST: 'a list of cards',
  MANABOX: 'a collection of ManaBox',
  TCGPLAYER: 'a collection or inventory of TCGplayer',
};

/** The columns that say which card a row means, in the formats that have them as one text each. */
const NUMBER = ['number', 'Card Number', 'Set number', 'Number'];
const PRINTING = ['variantName', 'Variance', 'Printing'];

type Stage = 'choosing' | 'checking' | 'chosen' | 'importing' | 'done';

/** What rows that do not say it themselves mean. */
interface Missing {
  currency: Currency;
  occurredDate: string;
  price: string;
}

/** What is looked at, and then imported as it was looked at. */
interface Draft {
  collectionId: string;
  csv: string;
  missing: Missing;
}

interface Failure {
  error: Error;
  again?: () => void;
  /** Which of the values for rows that do not say it themselves are wrong. */
  wrong?: readonly string[];
}

/** As the page calls what the API takes. */
const LABELS: Record<string, string> = {
  csv: 'The file',
  currency: 'Currency',
  occurredDate: 'Day',
  unitAmount: 'Price of one',
};

export function Import({ id, name, currency }: { id: string; name: string; currency: Currency }) {
  const client = useClient();
  const [file, setFile] = useState<{ name: string; text: string } | null>(null);
  const [missing, setMissing] = useState<Missing>({ currency, occurredDate: '', price: '' });
  const [stage, setStage] = useState<Stage>('choosing');
  const [report, setReport] = useState<Report | null>(null);
  const [checked, setChecked] = useState<Draft | null>(null);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [isOpen, setOpen] = useState(false);
  const draft: Draft = { collectionId: id, csv: file?.text ?? '', missing };
  const isChecked = checked !== null && isSame(checked, draft);

  const send = async (sent: Draft, dryRun: boolean) => {
    setStage(dryRun ? 'checking' : 'importing');
    setFailure(null);
    const input = inputOf(sent);
    const { data, error } = await client
      .mutation(ImportDocument, {
        input: { ...input, ...(dryRun ? { dryRun } : { idempotencyKey: keyOf(input) }) },
      })
      .toPromise();
    const result = data?.importTransactions;
    if (result && !dryRun) answered(input);
    if (result?.__typename === 'ImportTransactionsPayload') {
      setReport(result);
      setChecked(sent);
      setStage(result.written ? 'done' : 'chosen');
      return;
    }
    setStage('chosen');
    if (result?.__typename === 'ValidationFailed') {
      setFailure(failureOf(result.errors));
      return;
    }
    setFailure({
      error: result && 'message' in result ? new Error(result.message) : (error ?? new Error('It failed.')),
      again: () => void send(sent, dryRun),
    });
  };
  const take = async (given: File | undefined) => {
    if (!given) return;
    setReport(null);
    const text = await given.text();
    const bytes = new Blob([JSON.stringify(text)]).size;
    if (bytes > MAX_BYTES) {
      setStage('choosing');
      setFile(null);
      setFailure({
        error: new Error(
          `${given.name} is too large: a file of up to 1 MiB can be imported here. Split it, or use the command line (cardledger transactions import), which takes 16 MiB.`,
        ),
      });
      return;
    }
    setFile({ name: given.name, text });
    await send({ ...draft, csv: text }, true);
  };
  const check = (text: string) => {
    if (!file) return;
    setFile({ ...file, text });
    void send({ ...draft, csv: text }, true);
  };
  const change = (changed: Partial<Missing>) => {
    setMissing({ ...missing, ...changed });
    // What failed was sent with other values.
    setFailure(null);
  };
  const isBusy = stage === 'checking' || stage === 'importing';
  const isWrong = (field: string) => failure?.wrong?.includes(field) ?? false;
  // What is to be filled in is not to be looked for.
  useEffect(() => {
    if (failure?.wrong?.some((field) => field !== 'csv')) setOpen(true);
  }, [failure]);

  return (
    <>
      <Heading
        aside={
          <InGraphiql
            document={ImportDocument}
            variables={{
              input: { ...inputOf({ ...draft, csv: draft.csv.slice(0, 2000) }), dryRun: true },
            }}
          />
        }
      >
        Import
      </Heading>
      <p class="lead">
        A CSV file of this service, Archidekt, Collectr, Dragon Shield, FaBrary, ManaBox or TCGplayer, or a
        list of cards, into {name}. It is checked first, and nothing is recorded until you say so.
      </p>
      <FileDrop onFile={take} isBusy={isBusy} />
      <details class="panel" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>For rows without a currency, day or price</summary>
        <div class="fields">
          <Select
            label="Currency"
            values={CURRENCIES}
            value={missing.currency}
            onChange={(own) => change({ currency: own })}
          />
          <label class="field">
            Day
            <input
              type="date"
              aria-invalid={isWrong('occurredDate')}
              value={missing.occurredDate}
              onInput={(event) => change({ occurredDate: event.currentTarget.value })}
            />
          </label>
          <label class="field">
            Price of one
            <input
              type="number"
              min={0}
              step={0.0001}
              aria-invalid={isWrong('unitAmount')}
              value={missing.price}
              onInput={(event) => change({ price: event.currentTarget.value })}
            />
          </label>
          {file && (
            <button type="button" disabled={isBusy} onClick={() => check(file.text)}>
              Check again
            </button>
          )}
        </div>
      </details>
      <Progress stage={stage} rows={report?.transactionCount} />
      {failure && <Problem error={failure.error} again={failure.again} isKept={report !== null} />}
      {file && report && stage !== 'done' && (
        <ReportOf
          report={report}
          file={file}
          isBusy={isBusy}
          isChecked={isChecked}
          onChange={check}
          onImport={() => void send(draft, false)}
        />
      )}
      {report && stage === 'done' && (
        <div class="notice good" role="status">
          <p>
            {counted(report.transactionCount, 'transaction')} of {file?.name} recorded.{' '}
            <a href={`#/collection/${id}`}>See the collection</a>
          </p>
        </div>
      )}
    </>
  );
}

/** What of the values is wrong, each by the name that it has on the page. */
function failureOf(breaches: readonly { path: readonly string[]; detail: string }[]): Failure {
  const wrong = breaches.map(({ path }) => path[0] ?? '');
  const texts = breaches.map(({ detail }, i) => `${LABELS[wrong[i]!] ?? wrong[i]} ${detail}.`);
  return { error: new Error(texts.join(' ')), wrong };
}

function isSame(one: Draft, other: Draft): boolean {
  return one.collectionId === other.collectionId && one.csv === other.csv && one.missing === other.missing;
}

function inputOf({ collectionId, csv, missing }: Draft): ImportTransactionsInput {
  const { currency, occurredDate, price } = missing;
  return {
    collectionId,
    csv,
    currency,
    ...(occurredDate && { occurredDate }),
    ...(price !== '' && { unitAmount: { currency, value: Number(price) } }),
  };
}

function FileDrop({ onFile, isBusy }: { onFile: (file: File | undefined) => void; isBusy: boolean }) {
  const [isOver, setOver] = useState(false);
  return (
    <label
      class={`drop ${isOver ? 'over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        onFile(event.dataTransfer?.files[0]);
      }}
    >
      <b>Drop a file here, or choose one</b>
      <input
        type="file"
        accept=".csv,.tsv,.txt,text/csv"
        disabled={isBusy}
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
    </label>
  );
}

const STEPS: readonly { text: string; stages: Stage[] }[] = [
  { text: 'Choose a file', stages: ['choosing'] },
  { text: 'Check it', stages: ['checking', 'chosen'] },
  { text: 'Import', stages: ['importing'] },
  { text: 'Done', stages: ['done'] },
];

function Progress({ stage, rows }: { stage: Stage; rows: number | undefined }) {
  const at = STEPS.findIndex(({ stages }) => stages.includes(stage));
  return (
    <div class="progress" role="status">
      <ol>
        {STEPS.map(({ text }, i) => (
          <li
            key={text}
            class={i < at ? 'past' : i === at ? 'now' : ''}
            aria-current={i === at ? 'step' : undefined}
          >
            {text}
          </li>
        ))}
      </ol>
      {stage === 'checking' && <progress aria-label="Checking the file" />}
      {stage === 'importing' && <progress aria-label={`Importing ${count(rows ?? 0)} transactions`} />}
    </div>
  );
}

function ReportOf(props: {
  report: Report;
  file: { name: string; text: string };
  isBusy: boolean;
  /** Whether the report is of what would be imported now. */
  isChecked: boolean;
  onChange: (text: string) => void;
  onImport: () => void;
}) {
  const { report, file } = props;
  const { errorCount, rowCount, transactionCount, duplicateCount, oversoldCount, skipped } = report;
  const leftOut = skipped.reduce((sum, { count }) => sum + count, 0);
  // A row may have several errors.
  const wrongRows = rowCount - transactionCount - leftOut;
  return (
    <section class="panel" aria-labelledby="report">
      <h2 id="report">{file.name}</h2>
      <p>
        Read as {FORMATS[report.format]}: {counted(rowCount, 'row')}, of which {count(transactionCount)}{' '}
        matched a card
        {errorCount > 0 && (
          <>
            , and {count(wrongRows)} {wrongRows === 1 ? 'has' : 'have'} an error
          </>
        )}
        .
      </p>
      {skipped.length > 0 && (
        <ul>
          {skipped.map(({ count: rows, reason }) => (
            <li key={reason}>
              {counted(rows, 'row')} left out: {reason}
            </li>
          ))}
        </ul>
      )}
      {duplicateCount > 0 && (
        <div class="notice warn">
          <p>
            {counted(duplicateCount, 'row')} may be recorded already, and would be recorded again: line{' '}
            {report.duplicates
              .slice(0, 10)
              .map(({ line }) => line)
              .join(', ')}
            {duplicateCount > 10 && ' …'}
          </p>
        </div>
      )}
      {oversoldCount > 0 && (
        <div class="notice warn">
          <p>
            More sold than bought of {counted(oversoldCount, 'variant')}, with what is recorded:{' '}
            {report.oversold
              .slice(0, 10)
              .map(({ line, quantity }) => `line ${line}, by ${count(quantity)}`)
              .join('; ')}
            {oversoldCount > 10 && ' …'}. The sales are recorded all the same, and what is beyond counts at a
            cost of 0.
          </p>
        </div>
      )}
      {errorCount > 0 && <Mending key={file.text} {...props} />}
      {errorCount === 0 && props.isChecked && (
        <button type="button" disabled={props.isBusy || transactionCount === 0} onClick={props.onImport}>
          Import {counted(transactionCount, 'transaction')}
        </button>
      )}
      {errorCount === 0 && !props.isChecked && !props.isBusy && (
        <p class="hint" role="status">
          It was checked with other values. Check it again.
        </p>
      )}
    </section>
  );
}

/** As many rows as are mended at a time. */
const SHOWN = 50;

/** The rows with errors, to be changed or left out. */
function Mending(props: {
  report: Report;
  file: { text: string };
  isBusy: boolean;
  onChange: (text: string) => void;
}) {
  const rows = rowsOf(props.file.text);
  const header = headerOf(rows)?.text ?? '';
  const byLine = new Map(rows.map(({ line, text }) => [line, text]));
  const errors = Map.groupBy(props.report.errors, ({ line }) => line);
  const lines = [...errors.keys()];
  /** By line: what the row is to be; null where it is left out. */
  const [mended, setMended] = useState<ReadonlyMap<number, string | null>>(new Map());
  const set = (line: number, text: string | null) => setMended(new Map(mended).set(line, text));
  const apply = (more: ReadonlyMap<number, string | null> = mended) =>
    props.onChange(
      rows
        .map(({ line, text }) => (more.has(line) ? more.get(line) : text))
        .filter((text) => text !== null)
        .join('\n'),
    );
  return (
    <>
      <p>Nothing is imported while rows have errors. Correct them here, or leave them out.</p>
      <p>
        <code class="row-header">{header}</code>
      </p>
      <ol class="mending">
        {lines.slice(0, SHOWN).map((line) => {
          const own = mended.get(line);
          return (
            <li key={line} class={own === null ? 'left-out' : ''}>
              <label class="field">
                Line {line}
                <input
                  type="text"
                  spellcheck={false}
                  disabled={own === null}
                  value={own ?? byLine.get(line) ?? ''}
                  onInput={(event) => set(line, event.currentTarget.value)}
                />
              </label>
              {errors.get(line)!.map((error) => (
                <RowProblem
                  key={error.detail}
                  error={error}
                  onSuggestion={(suggestion) =>
                    set(
                      line,
                      withCard(props.report.format, header, own ?? byLine.get(line) ?? '', suggestion),
                    )
                  }
                />
              ))}
              <label class="check">
                <input
                  type="checkbox"
                  checked={own === null}
                  onChange={(event) =>
                    set(line, event.currentTarget.checked ? null : (byLine.get(line) ?? ''))
                  }
                />
                Leave it out
              </label>
            </li>
          );
        })}
      </ol>
      {lines.length > SHOWN && <p>And {counted(lines.length - SHOWN, 'more row')}, which come next.</p>}
      <div class="fields">
        <button type="button" disabled={props.isBusy || mended.size === 0} onClick={() => apply()}>
          Check again
        </button>
        <button
          type="button"
          class="quiet"
          disabled={props.isBusy}
          onClick={() => apply(new Map([...lines.map((line) => [line, null] as const), ...mended]))}
        >
          Leave out all that are not corrected
        </button>
      </div>
    </>
  );
}

type Suggestion = RowError['suggestions'][number];

function RowProblem({
  error,
  onSuggestion,
}: {
  error: RowError;
  onSuggestion: (suggestion: Suggestion) => void;
}) {
  return (
    <div class="wrong">
      {error.column && <b>{error.column}: </b>}
      {inWords(new Error(error.detail))}
      {error.suggestions.length > 0 && (
        <span class="suggestions">
          Did you mean
          {error.suggestions.map((suggestion) => (
            <button
              type="button"
              class="quiet"
              key={suggestion.variantId}
              onClick={() => onSuggestion(suggestion)}
            >
              {suggestion.productName} {suggestion.number}, {suggestion.variantName}
            </button>
          ))}
        </span>
      )}
    </div>
  );
}

/** The row with the card of the suggestion, in whichever columns its format has for that. */
function withCard(format: TransactionFormat, header: string, row: string, suggestion: Suggestion): string {
  if (format === 'LIST') return lineWithCard(row, suggestion);
  const { variantId, fcId, number, variantName, productName } = suggestion;
  const separator = separatorOf(header);
  const names = cellsOf(header, separator);
  const cells = cellsOf(row, separator);
  const put = (columns: readonly string[], value: string | null) => {
    const at = names.findIndex((name) => columns.includes(name));
    if (at >= 0 && value !== null) cells[at] = value;
  };
  put(['variantId'], variantId);
  put(['fcId'], fcId);
  put(['vendorProductId'], '');
  put(['productName', 'Product Name', 'Name', 'Card Name'], productName);
  put(NUMBER, number);
  put(PRINTING, variantName);
  return rowOf(cells, separator);
}

/** In a list the set and the number stand apart, and the printing between asterisks. */
function lineWithCard(line: string, { productName, number, variantName }: Suggestion): string {
  const quantity = /^\s*\d+/.exec(line)?.[0].trim() ?? '1';
  const place = number === null ? '' : ` (${number.slice(0, 3)}) ${number.slice(3)}`;
  return `${quantity} ${productName}${place} *${variantName}*`;
}
