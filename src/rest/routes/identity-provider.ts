import { IdentityProviderInput } from '../../domain/inputs.ts';
import { deleteIdentityProvider } from '../../services/identity-providers/delete.ts';
import { getIdentityProvider } from '../../services/identity-providers/get.ts';
import type { IdentityProvider } from '../../services/identity-providers/model.ts';
import { setIdentityProvider } from '../../services/identity-providers/set.ts';
import { IdentityProviderSchema, identityProviderBody } from '../models/identity-providers.ts';
import { addRoute } from '../route.ts';
import type { Reply, RestApp } from '../route-description.ts';

const path = '/identity-provider';
const tag = 'Accounts';
const scope = 'platform';

function providerReply(provider: IdentityProvider): Reply {
  return { body: identityProviderBody(provider), revision: provider.revision };
}

/** Who signs the users of a platform in. */
export function addIdentityProviderRoutes(app: RestApp): void {
  addRoute(app, {
    method: 'get',
    path,
    operationId: 'getIdentityProvider',
    summary: 'Get the identity provider of your platform',
    description: 'Who signs your users in, so that their access tokens are good here.',
    tag,
    scope,
    response: IdentityProviderSchema,
    hasEtag: true,
    problems: ['NotFound'],
    handle: async ({ context }) => providerReply(await getIdentityProvider(context)),
  });

  addRoute(app, {
    method: 'put',
    path,
    operationId: 'setIdentityProvider',
    summary: 'Name the identity provider of your platform',
    description:
      'Its access tokens (JWTs) are good here from then on, each for the account below yours whose `externalId` is the `sub` of the token. No two platforms may name the same issuer with the same audience. The provider is asked for its keys when the first token comes.',
    tag,
    scope,
    body: IdentityProviderInput.meta({ id: 'SetIdentityProvider' }),
    response: IdentityProviderSchema,
    problems: ['PreconditionFailed'],
    handle: async ({ context, body, revisions }) =>
      providerReply(await setIdentityProvider(context, body, revisions)),
  });

  addRoute(app, {
    method: 'delete',
    path,
    operationId: 'deleteIdentityProvider',
    summary: 'Take the identity provider of your platform away',
    description: 'Its tokens end within 60 seconds. The accounts of its users stay.',
    tag,
    scope,
    response: null,
    problems: ['NotFound', 'PreconditionFailed'],
    handle: async ({ context, revisions }) => {
      await deleteIdentityProvider(context, revisions);
      return { body: null };
    },
  });
}
