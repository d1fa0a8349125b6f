/** What the page is told by the server (`src/rest/index-page.ts`). */
interface PageOptions {
  cardPictures: boolean;
  session: { accessToken: string } | null;
}

export const page = optionsIn(document);

function optionsIn(html: Document): PageOptions {
  return JSON.parse(html.getElementById('options')!.textContent!);
}

/** An access token, which is in the memory of the page and nowhere else. */
export class Session {
  #token: string;
  #renewing: Promise<string | null> | undefined;
  readonly #onEnd: () => void;

  /** @param onEnd is called when the token is no longer good, and there is no other */
  constructor(token: string, onEnd: () => void) {
    this.#token = token;
    this.#onEnd = onEnd;
  }

  /** `fetch` with the token; once more with a new one where it has expired and the page is the demo account's. */
  readonly fetch: typeof fetch = async (input, init) => {
    const used = this.#token;
    const send = () => {
      const headers = new Headers(init?.headers);
      headers.set('Authorization', `Bearer ${this.#token}`);
      return fetch(input, { ...init, headers });
    };
    const response = await send();
    if (response.status !== 401) return response;
    if (used === this.#token) await this.#renew();
    return used === this.#token ? response : send();
  };

  async #renew(): Promise<void> {
    this.#renewing ??= newDemoToken().finally(() => {
      this.#renewing = undefined;
    });
    const token = await this.#renewing;
    if (token === null || token === this.#token) this.#onEnd();
    else this.#token = token;
  }
}

/** The page as the server gives it now has the demo account's token of now. Rejects where the server fails. */
async function newDemoToken(): Promise<string | null> {
  if (page.session === null) return null;
  const response = await fetch('./', { headers: { Accept: 'text/html' } });
  if (!response.ok) throw new Error('The server failed.');
  const html = new DOMParser().parseFromString(await response.text(), 'text/html');
  return optionsIn(html).session?.accessToken ?? null;
}
