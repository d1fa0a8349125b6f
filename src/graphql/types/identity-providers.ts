import { deleteIdentityProvider } from '../../services/identity-providers/delete.ts';
import { findIdentityProvider } from '../../services/identity-providers/get.ts';
import type { IdentityProvider } from '../../services/identity-providers/model.ts';
import { setIdentityProvider } from '../../services/identity-providers/set.ts';
import type { SchemaParts } from './refs.ts';

/** Who signs the users of a platform in. */
export function addIdentityProviders({ builder, addMutation }: SchemaParts): void {
  const IdentityProviderType = builder.objectRef<IdentityProvider>('IdentityProvider').implement({
    description: 'Who signs the users of your platform in, so that their access tokens are good here.',
    fields: (t) => ({
      issuer: t.exposeString('issuer', { description: 'The issuer of the tokens (`iss`).' }),
      audience: t.exposeString('audience', {
        description: 'What the tokens have as their audience (`aud`).',
      }),
      createsAccounts: t.exposeBoolean('createsAccounts', {
        description: 'Whether a user who is seen for the first time is given an account.',
      }),
      defaultScope: t.exposeString('defaultScope', {
        description: "The value of a token's scope with which it may do everything of the account.",
      }),
      readScope: t.exposeString('readScope', {
        description: "The value of a token's scope with which it may read, without any change.",
      }),
    }),
  });

  builder.queryField('identityProvider', (t) =>
    t.field({
      type: IdentityProviderType,
      nullable: true,
      description:
        'Who signs the users of your platform in; null where you name nobody. Needs a token of the scope `platform`.',
      resolve: (_root, _args, { context }) => findIdentityProvider(context),
    }),
  );

  addMutation<{ identityProvider: IdentityProvider }>({
    name: 'setIdentityProvider',
    description:
      'Names who signs the users of your platform in. Their access tokens (JWTs) are good here from then on, each for the account below yours whose `externalId` is the `sub` of the token. No two platforms may name the same issuer with the same audience. Needs a token of the scope `platform`.',
    problems: [],
    fields: (t) => ({
      issuer: t.string({
        required: true,
        description: 'The issuer of the tokens, exactly as their `iss` has it.',
      }),
      audience: t.string({
        required: true,
        description: 'What the tokens have as their audience (`aud`), alone or among others.',
      }),
      createsAccounts: t.boolean({
        required: true,
        description: 'Whether a user who is seen for the first time is given an account.',
      }),
      defaultScope: t.string({
        description:
          "The value of a token's scope with which it may do everything of the account; `cardledger:default` where it is left out.",
      }),
      readScope: t.string({
        description:
          "The value of a token's scope with which it may read, without any change; `cardledger:read` where it is left out.",
      }),
    }),
    payload: (t) => ({
      identityProvider: t.expose('identityProvider', {
        type: IdentityProviderType,
        description: 'The identity provider.',
      }),
    }),
    verb: async (ctx, input) => ({ identityProvider: await setIdentityProvider(ctx, input) }),
  });

  addMutation<{ identityProvider: IdentityProvider }>({
    name: 'deleteIdentityProvider',
    description:
      'Takes the identity provider of your platform away: its tokens end within 60 seconds. The accounts of its users stay.',
    problems: ['NotFound'],
    fields: () => ({}),
    payload: (t) => ({
      identityProvider: t.expose('identityProvider', {
        type: IdentityProviderType,
        description: 'What was taken away.',
      }),
    }),
    verb: async (ctx) => ({ identityProvider: await deleteIdentityProvider(ctx) }),
  });
}
