import { Nullable, strict, Timestamp } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { ofPlatform } from '../../../people/operations/platform/administrator.ts';
import { issuerOf, type PlatformConnection } from '../../connections/provider.ts';
import { operation } from '../../deps.ts';
import { listPlatformUses } from '../../storage/platform-connections.ts';

const Shown = Type.Object({
  name: Type.String({ description: 'As in OAUTH_PROVIDERS; its path below /api/auth' }),
  type: Nullable(
    Type.Enum(['oidc', 'oauth2'], {
      graphqlType: 'PlatformConnectionType',
      description: 'oauth2: the profile is read by an API of its own',
    }),
  ),
  profile: Nullable(Type.String({ description: 'How it tells who signed in' })),
  status: Type.Enum(['active', 'disabled'], {
    graphqlType: 'ConnectionStatus',
    description: 'disabled: it is not configured any more, and nobody comes by it',
  }),
  issuer: Nullable(Type.String()),
  clientId: Nullable(Type.String()),
  scopes: Type.Array(Type.String()),
  callbackUrl: Nullable(Type.String({ description: 'Registered at the provider, for the platform' })),
  projectCallbackUrl: Nullable(Type.String({ description: 'The same for apps of projects' })),
  signInUrl: Nullable(Type.String()),
  lastUsedAt: Nullable(Timestamp),
});

export const listPlatformConnections = operation({
  ...ofPlatform,
  name: 'listPlatformConnections',
  summary: 'List the identity providers of the installation, with their settings and when somebody last signed in by each',
  kind: 'query',
  input: strict({}),
  output: Type.Object({ items: Type.Array(Shown) }),
  errors: ['FORBIDDEN', 'SECOND_FACTOR_REQUIRED'],
  audit: { none: 'shows no secret' },
  events: [],
  rest: { method: 'GET', path: '/api/platform/connections' },
  graphql: { field: 'platformConnections', type: 'PlatformConnectionList' },

  async handle(_input, { tx, deps }) {
    const uses = await listPlatformUses(tx);
    const lastUsed = new Map(uses.map(({ name, lastUsedAt }) => [name, lastUsedAt]));
    const configured = [...deps.connections].map(([name, one]) => show(one, lastUsed.get(name) ?? null, deps.settings.appUrl));
    const gone = uses.filter(({ name }) => !deps.connections.has(name));
    return { items: [...configured, ...gone.map(({ name, lastUsedAt }) => ({ ...notConfigured, name, lastUsedAt }))] };
  },
});

const notConfigured = {
  type: null,
  profile: null,
  status: 'disabled',
  issuer: null,
  clientId: null,
  scopes: [] as string[],
  callbackUrl: null,
  projectCallbackUrl: null,
  signInUrl: null,
} as const;

function show({ settings, callbacks, scopes }: PlatformConnection, lastUsedAt: string | null, appUrl: string): Static<typeof Shown> {
  const { name, profile, clientId } = settings;
  return {
    name,
    type: scopes.includes('openid') ? 'oidc' : 'oauth2',
    profile,
    status: 'active',
    issuer: issuerOf(settings),
    clientId,
    scopes: [...scopes],
    callbackUrl: callbacks.platform,
    projectCallbackUrl: callbacks.project,
    signInUrl: `${appUrl}/api/auth/${name}`,
    lastUsedAt,
  };
}
