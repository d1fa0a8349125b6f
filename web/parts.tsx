import type { CombinedError, TypedDocumentNode } from '@urql/core';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { page } from './session.ts';

/** A heading of a view, which takes the focus when the view is opened, so that readers of the screen hear it. */
export function Heading({ children, aside }: { children: string; aside?: ComponentChildren }) {
  return (
    <div class="heading">
      <h1 tabIndex={-1}>{children}</h1>
      {aside}
    </div>
  );
}

/** What went wrong, and a way to try it again. */
export function Problem(props: {
  error: Error;
  again?: (() => void) | undefined;
  /** Whether what was read before is shown beside it. */
  isKept?: boolean;
}) {
  const { error, again } = props;
  return (
    <div class="notice problem" role="alert">
      <p>
        {inWords(error)}
        {props.isKept && ' What is shown was read before.'}
      </p>
      {again && (
        <button type="button" onClick={again}>
          Try again
        </button>
      )}
    </div>
  );
}

/** An error as a sentence for people. */
export function inWords(error: Error): string {
  const { networkError, graphQLErrors, response } = error as Partial<CombinedError>;
  const status = (response as Response | undefined)?.status;
  if (status === 429) return 'Too many requests for now. Wait a minute, and try again.';
  if (graphQLErrors && graphQLErrors.length > 0) return graphQLErrors[0]!.message;
  if (networkError && !navigator.onLine)
    return 'You are offline. Nothing new can be read until you are back.';
  if (status !== undefined && status >= 500) return 'The server failed. Try again in a moment.';
  if (networkError) return 'The server does not answer. Look at your connection, and try again.';
  return error.message;
}

/** The operation behind what is shown, with its variables, in GraphiQL. */
export function InGraphiql<Data, Variables>(props: {
  document: TypedDocumentNode<Data, Variables>;
  variables: Variables;
  /** What the link opens, where a view has more than one. */
  of?: string;
}) {
  const [definition] = props.document.definitions;
  const name = definition?.kind === 'OperationDefinition' ? definition.name!.value : '';
  const variables = encodeURIComponent(JSON.stringify(props.variables, null, 2));
  return (
    <a class="in-graphiql" href={`graphql?tab=${name}#${variables}`} target="_blank" rel="noopener">
      {props.of ? `${props.of} in GraphiQL` : 'Show in GraphiQL'}
    </a>
  );
}

/** The vendor's picture of a card, or a card's back where there is none or pictures are off. */
export function Picture({ url }: { url: string }) {
  const [failed, setFailed] = useState('');
  const isShown = page.cardPictures && url !== '' && failed !== url;
  return (
    <span class="picture" aria-hidden="true">
      {isShown && (
        <img src={url} alt="" width={32} height={44} loading="lazy" onError={() => setFailed(url)} />
      )}
    </span>
  );
}

export function Loading({ what }: { what: string }) {
  return (
    <p class="loading" role="status">
      Reading {what} …
    </p>
  );
}

/** A figure with its name. */
export function Tile(props: {
  name: string;
  value: string;
  note?: string | undefined;
  tone?: string | undefined;
}) {
  return (
    <div class="tile">
      <dt>{props.name}</dt>
      <dd class={props.tone}>{props.value}</dd>
      {props.note !== undefined && <dd class="note">{props.note}</dd>}
    </div>
  );
}

/** One of a few, as a row of buttons. */
export function Choice<Value extends string>(props: {
  label: string;
  values: Readonly<Record<Value, string>>;
  value: Value;
  onChange: (value: Value) => void;
}) {
  return (
    <fieldset class="choice">
      <legend class="unseen">{props.label}</legend>
      {Object.entries<string>(props.values).map(([value, text]) => (
        <button
          type="button"
          key={value}
          aria-pressed={value === props.value}
          onClick={() => props.onChange(value as Value)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

export function Select<Value extends string>(props: {
  label: string;
  values: Readonly<Record<Value, string>>;
  value: Value;
  onChange: (value: Value) => void;
}) {
  return (
    <label class="field">
      {props.label}
      <select value={props.value} onChange={(event) => props.onChange(event.currentTarget.value as Value)}>
        {Object.entries<string>(props.values).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The value once it has stayed the same for so long. */
export function useSettled<Value>(value: Value, millis: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), millis);
    return () => clearTimeout(timer);
  }, [value, millis]);
  return settled;
}

/** Whether the browser has a network. */
export function useOnline(): boolean {
  const [isOnline, setOnline] = useState(navigator.onLine);
  useEffect(() => {
    const look = () => setOnline(navigator.onLine);
    addEventListener('online', look);
    addEventListener('offline', look);
    return () => {
      removeEventListener('online', look);
      removeEventListener('offline', look);
    };
  }, []);
  return isOnline;
}

/** Whether the page is dark: what is drawn by hand is to be drawn again when that changes. */
export function useScheme(): boolean {
  const [dark] = useState(() => matchMedia('(prefers-color-scheme: dark)'));
  const [isDark, setDark] = useState(dark.matches);
  useEffect(() => {
    const look = () => setDark(dark.matches);
    dark.addEventListener('change', look);
    return () => dark.removeEventListener('change', look);
  }, [dark]);
  return isDark;
}
