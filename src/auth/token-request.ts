/** Reading a token request (RFC 6749 §§2.3.1, 4.4.2): pure, so without any look at who the client is. */

import { SCOPES, type Scope } from './tokens.ts';

export interface TokenRequest {
  contentType: string | undefined;
  authorization: string | undefined;
  body: string;
}

export const OAUTH_ERRORS = [
  'invalid_request',
  'invalid_client',
  'unsupported_grant_type',
  'invalid_scope',
  'too_many_requests',
  'temporarily_unavailable',
] as const;
export type OAuthErrorCode = (typeof OAUTH_ERRORS)[number];

/** A refusal by RFC 6749 §5.2. The message is for developers, and never repeats what was sent. */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: OAuthErrorCode, message: string, retryAfterSeconds?: number) {
    super(message);
    this.code = code;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface Credentials {
  clientId: string;
  clientSecret: string;
}

/** The parameters of the form. A name that stands more than once is refused; one without a value counts as left out. */
export function parseForm({ contentType, body }: TokenRequest): ReadonlyMap<string, string> {
  if (!/^application\/x-www-form-urlencoded *(;|$)/i.test(contentType ?? '')) {
    throw new OAuthError(
      'invalid_request',
      'The body must have the content type application/x-www-form-urlencoded.',
    );
  }
  const form = new Map<string, string>();
  const seen = new Set<string>();
  for (const [name, value] of new URLSearchParams(body)) {
    if (seen.has(name))
      throw new OAuthError('invalid_request', 'A parameter stands in the form more than once.');
    seen.add(name);
    if (value !== '') form.set(name, value);
  }
  return form;
}

/** The credentials, from the form or from HTTP Basic, never from both. */
export function parseCredentials(
  authorization: string | undefined,
  form: ReadonlyMap<string, string>,
): Credentials {
  if (authorization === undefined) return credentialsOf(form.get('client_id'), form.get('client_secret'));
  if (form.has('client_id') || form.has('client_secret')) {
    throw new OAuthError(
      'invalid_request',
      'The client must send its credentials in the form or in the Authorization header, not in both.',
    );
  }
  return basicCredentials(authorization);
}

/** The scope that is asked for. */
export function readGrant(form: ReadonlyMap<string, string>): Scope {
  const grantType = form.get('grant_type');
  if (grantType === undefined)
    throw new OAuthError('invalid_request', 'The parameter grant_type is missing.');
  if (grantType !== 'client_credentials') {
    throw new OAuthError('unsupported_grant_type', 'The grant_type must be client_credentials.');
  }
  const scope = SCOPES.find((one) => one === form.get('scope'));
  if (!scope) throw new OAuthError('invalid_scope', 'The scope must be default, read or platform.');
  return scope;
}

function basicCredentials(authorization: string): Credentials {
  const encoded = /^Basic +([A-Za-z0-9+/]+=*) *$/i.exec(authorization)?.[1];
  const [, id, secret] = /^([^:]*):(.*)$/s.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  return credentialsOf(formDecoded(id), formDecoded(secret));
}

/** Id and secret are form-encoded within HTTP Basic (RFC 6749 §2.3.1). */
function formDecoded(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}

function credentialsOf(clientId: string | undefined, clientSecret: string | undefined): Credentials {
  if (!clientId || !clientSecret) {
    throw new OAuthError(
      'invalid_client',
      'The client must send its id and its secret, as client_id and client_secret in the form or with HTTP Basic.',
    );
  }
  return { clientId, clientSecret };
}
