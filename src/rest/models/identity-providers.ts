import { z } from '@hono/zod-openapi';
import { LIMITS } from '../../domain/limits.ts';
import type { IdentityProvider } from '../../services/identity-providers/model.ts';

export const IdentityProviderSchema = z
  .strictObject({
    issuer: z.string().max(LIMITS.issuerCharacters).meta({ description: 'The issuer of the tokens' }),
    audience: z
      .string()
      .max(LIMITS.issuerCharacters)
      .meta({ description: 'What the tokens have as their audience' }),
    createsAccounts: z
      .boolean()
      .meta({ description: 'Whether a user who is seen for the first time is given an account' }),
    defaultScope: z
      .string()
      .max(LIMITS.scopeCharacters)
      .meta({ description: "The value of a token's scope with which it may do everything of the account" }),
    readScope: z
      .string()
      .max(LIMITS.scopeCharacters)
      .meta({ description: "The value of a token's scope with which it may read, without any change" }),
  })
  .openapi('IdentityProviderResponseModel');
type IdentityProviderBody = z.output<typeof IdentityProviderSchema>;

export function identityProviderBody({ revision: _, ...provider }: IdentityProvider): IdentityProviderBody {
  return provider;
}

export const IDENTITY_PROVIDER: IdentityProviderBody = {
  issuer: 'https://login.app.example',
  audience: 'https://cards.app.example',
  createsAccounts: true,
  defaultScope: 'cardledger:default',
  readScope: 'cardledger:read',
};
