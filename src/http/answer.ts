/**
 * What a route answers with: a Response in the making, whose headers are a plain object. The platform's own Headers, which
 * middleware would read and change a dozen times a request, cost more than all else that a small request does.
 */
export class Answer {
  readonly status: number;
  readonly text: string | null;
  readonly headers: AnswerHeaders;

  constructor(text: string | null, status: number, headers: Record<string, string>) {
    this.text = text;
    this.status = status;
    this.headers = new AnswerHeaders(headers);
  }

  toResponse(): Response {
    const { text, status, headers } = this;
    return new Response(text, { status, headers: headers.values });
  }
}

/** Headers as middleware uses them. Names are told apart by their capitals: each is written in one way only. */
export class AnswerHeaders {
  readonly values: Record<string, string>;

  constructor(values: Record<string, string>) {
    this.values = values;
  }

  get(name: string): string | null {
    return this.values[name] ?? null;
  }

  has(name: string): boolean {
    return this.values[name] !== undefined;
  }

  set(name: string, value: string): void {
    this.values[name] = value;
  }

  append(name: string, value: string): void {
    const known = this.values[name];
    this.values[name] = known === undefined ? value : `${known}, ${value}`;
  }
}

/** An answer in the place of the Response that Hono takes it for, until `sent` makes it one. */
export function answered(
  text: string | null,
  status: number,
  headers: Record<string, string> = {},
): Response {
  return new Answer(text, status, headers) as unknown as Response;
}

/** The Response itself, of an answer or of what is one already. */
export function sent(response: Response): Response {
  return (response as unknown) instanceof Answer ? (response as unknown as Answer).toResponse() : response;
}
