import { failures } from '@tessera/kernel/errors';
import { newId } from '@tessera/kernel/ids';
import { Id, Nullable, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { networkOf } from '../../../ground/client-network.ts';
import { digest } from '../../../ground/tokens/digest.ts';
import { readAddress } from '../../../people/operations/addresses.ts';
import { Address } from '../../../people/operations/entities.ts';
import { operation } from '../../deps.ts';
import { findActiveConnection } from '../../storage/connections.ts';

const windowSeconds = 60;
/** For one client, which may be an office. */
const mostQuestions = 60;

export const discoverSignIn = operation({
  name: 'discoverSignIn',
  summary:
    'How an address signs in: by the identity provider of the organization that has proven its domain, or in the ways of this installation. It says nothing of accounts',
  kind: 'query',
  input: strict({ email: Address }),
  output: Type.Object({
    methods: Type.Array(Type.String(), { description: '`password`, `passkey`, `emailCode`, and names of providers' }),
    connection: Nullable(
      Type.Object({ id: Id, name: Type.String() }, { description: 'Sign in at GET /api/auth/connections/{id}; null for other domains' }),
    ),
  }),
  access: { open: 'the caller is not signed in' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  isolation: { none: 'one query' },
  errors: ['BAD_USER_INPUT', 'RATE_LIMIT_EXCEEDED', 'SERVICE_UNAVAILABLE'],
  audit: { none: 'public facts: which domain has a connection' },
  events: [],
  rest: { method: 'POST', path: '/api/auth/discover' },
  graphql: { none: 'REST only: for the page where people sign in' },

  /** Accounts are not looked up, and the same is asked for every domain: the time says nothing. */
  async handle({ email }, { deps, request }) {
    const address = readAddress(email, 'email');
    const count = await deps.counters.increment(`discover:${digest(networkOf(request.ipAddress))}`, 1, windowSeconds);
    if (count > mostQuestions) throw failures.rateLimited(windowSeconds);
    const { organizationId = newId() } = await deps.tenancy.findDomainOwner({ address });
    const connection = await findActiveConnection(deps.database, organizationId);
    const ways = ['password', 'passkey', ...(deps.settings.hasEmailCodes ? ['emailCode'] : []), ...deps.connections.keys()];
    return { methods: ways, connection: connection ?? null };
  },
});
