import type { Client } from '@urql/core';
import { Provider, useSubscription } from '@urql/preact';
import { render } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { signIn } from '../pages/site/sign-in.js';
import { Alerts, nameOf } from './alerts.tsx';
import { createClient } from './client.ts';
import { Collection } from './collection.tsx';
import { Dashboard } from './dashboard.tsx';
import {
  ChangesDocument,
  MyCollectionsDocument,
  type MyCollectionsQuery,
  PreferredCurrencyDocument,
  type PreferredCurrencyQuery,
  TriggeredDocument,
} from './generated/graphql.ts';
import { Import } from './import.tsx';
import { announce } from './live.ts';
import { money } from './money.ts';
import { NewCollection } from './new-collection.tsx';
import { Heading, InGraphiql, Loading, Problem, Select, useOnline } from './parts.tsx';
import { Record } from './record.tsx';
import { Sealed } from './sealed.tsx';
import { page, Session } from './session.ts';
import './style.css';
import { type Reading, useRead } from './use-read.ts';

const VIEWS = {
  dashboard: 'Dashboard',
  collection: 'Collection',
  record: 'Record',
  import: 'Import',
  sealed: 'Sealed',
  alerts: 'Alerts',
} as const;
type View = keyof typeof VIEWS;

interface Place {
  view: View;
  /** Of the address, as `#/collection/col_…` has it. */
  collectionId: string | undefined;
}

function placeOf(hash: string): Place {
  const [, view = '', collectionId] = /^#\/(\w+)(?:\/(\w+))?$/.exec(hash) ?? [];
  return { view: view in VIEWS ? (view as View) : 'dashboard', collectionId };
}

function usePlace(): Place {
  const [place, setPlace] = useState(() => placeOf(location.hash));
  useEffect(() => {
    const look = () => setPlace(placeOf(location.hash));
    addEventListener('hashchange', look);
    return () => removeEventListener('hashchange', look);
  }, []);
  return place;
}

function Window({ isConnected }: { isConnected: boolean }) {
  const place = usePlace();
  const isOnline = useOnline();
  const [{ data, error }, again] = useRead({ query: MyCollectionsDocument, variables: {} });
  const preferred = useRead({ query: PreferredCurrencyDocument });
  const [lastId, setLastId] = useState<string | undefined>(place.collectionId);
  const view = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const collections = data?.collections.nodes;
  const wanted = place.collectionId ?? lastId;
  const current = collections?.find(({ id }) => id === wanted) ?? collections?.[0];

  useEffect(() => {
    if (place.collectionId) setLastId(place.collectionId);
    document.title = `${VIEWS[place.view]} · cardledger`;
    // Where one arrives the browser has the focus where it should be.
    if (!isFirst.current) view.current?.querySelector<HTMLElement>('h1')?.focus();
    isFirst.current = false;
  }, [place]);

  return (
    <>
      <section class="bar" aria-label="Views and collection">
        <nav aria-label="Views">
          {Object.entries(VIEWS).map(([name, text]) => (
            <a key={name} href={`#/${name}`} aria-current={name === place.view ? 'page' : undefined}>
              {text}
            </a>
          ))}
        </nav>
        {collections && collections.length > 0 && (
          <Select
            label="Collection"
            values={Object.fromEntries(collections.map(({ id, name }) => [id, name]))}
            value={current!.id}
            onChange={(id) => {
              setLastId(id);
              location.hash = `#/${place.view === 'dashboard' ? 'collection' : place.view}/${id}`;
            }}
          />
        )}
        <span class={`live ${isConnected ? 'on' : ''}`}>{isConnected ? 'Live' : 'Not live'}</span>
      </section>
      {!isOnline && (
        <div class="notice warn" role="alert">
          <p>You are offline. What is shown was read before; nothing can be recorded until you are back.</p>
        </div>
      )}
      {current && <Followed key={current.id} id={current.id} />}
      <FiredAlerts />
      <main ref={view}>
        {!data && <Heading>{VIEWS[place.view]}</Heading>}
        {error && (
          <Problem
            error={error}
            isKept={data !== undefined}
            again={() => {
              again();
              if (!preferred[0].data) preferred[1]();
            }}
          />
        )}
        {!data && !error && <Loading what="your collections" />}
        {collections && (
          <Shown view={place.view} collections={collections} current={current} preferred={preferred} />
        )}
      </main>
    </>
  );
}

type Collections = MyCollectionsQuery['collections']['nodes'];

type Preferred = Reading<PreferredCurrencyQuery, object>;

function Shown(props: {
  view: View;
  collections: Collections;
  current: Collections[number] | undefined;
  preferred: Preferred;
}) {
  const { view, collections, current, preferred } = props;
  if (view === 'dashboard') return <Dashboard collections={collections} />;
  if (view === 'sealed') return <Sealed />;
  if (!current) {
    return (
      <>
        <Heading>{VIEWS[view]}</Heading>
        <p class="empty">You have no collection yet. Give the first one a name.</p>
        <NewCollection />
      </>
    );
  }
  const { id, name } = current;
  if (view === 'collection') return <Collection key={id} id={id} name={name} />;
  return <WithForm view={view} id={id} name={name} preferred={preferred} />;
}

/** A view whose form begins with the preferred currency, and keeps it: where it cannot be read again, nothing is amiss. */
function WithForm(props: {
  view: 'record' | 'import' | 'alerts';
  id: string;
  name: string;
  preferred: Preferred;
}) {
  const { view, id, name } = props;
  const [{ data, error }, again] = props.preferred;
  if (!data) {
    return (
      <>
        <Heading>{VIEWS[view]}</Heading>
        {error && <Problem error={error} again={again} />}
        {!error && <Loading what="your currency" />}
      </>
    );
  }
  const currency = data.viewer.preferredCurrency;
  if (view === 'record') return <Record key={id} id={id} name={name} currency={currency} />;
  if (view === 'import') return <Import key={id} id={id} name={name} currency={currency} />;
  return <Alerts id={id} name={name} currency={currency} />;
}

/** Follows a collection, and tells what of it changes. */
function Followed({ id }: { id: string }) {
  useSubscription({ query: ChangesDocument, variables: { id } }, (_, data) => {
    // It is null where changes were missed.
    announce(id, data.collectionChanged ?? null);
    return data;
  });
  return null;
}

/** Follows the alerts, and says which fires. */
function FiredAlerts() {
  const [said, setSaid] = useState('');
  useSubscription({ query: TriggeredDocument, variables: {} }, (_, data) => {
    if (data.priceAlertTriggered)
      setSaid(
        `${nameOf(data.priceAlertTriggered.target)} is at ${money(data.priceAlertTriggered.lastTrigger?.value)}.`,
      );
    return data;
  });
  return (
    <div role="status">
      {said && (
        <div class="notice good">
          <p>Alert: {said}</p>
          <InGraphiql document={TriggeredDocument} variables={{}} />
          <button type="button" class="quiet" onClick={() => setSaid('')}>
            Close
          </button>
        </div>
      )}
    </div>
  );
}

function App({
  client,
  onReady,
}: {
  client: Client;
  onReady: (set: (isConnected: boolean) => void) => void;
}) {
  const [isConnected, setConnected] = useState(false);
  useEffect(() => onReady(setConnected), [onReady]);
  return (
    <Provider value={client}>
      <Window isConnected={isConnected} />
    </Provider>
  );
}

/** Signs in if need be, and shows the window of that account until its token is no longer good. */
async function start(reason?: string): Promise<void> {
  const place = document.getElementById('window')!;
  const demoToken = reason === undefined ? page.session?.accessToken : undefined;
  const main = document.createElement('main');
  place.replaceChildren(main);
  const token = demoToken ?? (await signIn(main, reason));
  main.remove();
  let tell = (_isConnected: boolean) => {};
  let hasEnded = false;
  const end = () => {
    if (hasEnded) return;
    hasEnded = true;
    render(null, place);
    void start('You were signed out: a token is good for an hour. Sign in again.');
  };
  const client = createClient(new Session(token, end), (isConnected) => tell(isConnected));
  render(
    <App
      client={client}
      onReady={(set) => {
        tell = set;
      }}
    />,
    place,
  );
}

void start();
