import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { PublicBranding, toPublic } from '../../../apps/operations/branding/branding.ts';
import { hasPeople } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';
import { hasActiveConnections } from '../../storage/connections.ts';

export const getSignInOptions = operation({
  name: 'getSignInOptions',
  summary: 'What a sign-in page shows: the name of this installation and its identity providers',
  kind: 'query',
  input: strict({}),
  output: Type.Object({
    productName: Type.String(),
    branding: PublicBranding,
    providers: Type.Array(Type.Object({ name: Type.String(), label: Type.String({ description: 'For people' }) })),
    hasEmailCodes: Type.Boolean({ description: 'Whether a code by mail is a way to sign in' }),
    hasConnections: Type.Boolean({
      description: 'Whether organizations here have identity providers of their own: the page asks for the address first',
    }),
    sendsMails: Type.Boolean({ description: 'False where mails stay in a folder of the server, for trying the product out' }),
    recoveryWaitHours: Type.Integer({
      description: 'How long a recovery warns the owner before all second factors can be removed, in hours',
    }),
    hasUsers: Type.Boolean({ description: 'False until the first person has registered' }),
  }),
  access: { open: 'shown before the sign-in' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  isolation: { none: 'one query' },
  errors: [],
  audit: { none: 'public facts' },
  events: [],
  rest: { method: 'GET', path: '/api/auth/options' },
  graphql: { none: 'REST only: for the page where people sign in' },

  async handle(_input, { deps }) {
    const names = [...deps.connections.keys()];
    return {
      productName: deps.settings.productName,
      branding: toPublic(deps.faces.platform, deps),
      providers: names.map((name) => ({ name, label: labelOf(name) })),
      hasEmailCodes: deps.settings.hasEmailCodes,
      hasConnections: await hasActiveConnections(deps.database),
      sendsMails: deps.settings.sendsMails,
      recoveryWaitHours: deps.settings.recoveryWaitHours,
      hasUsers: await hasPeople(deps.database),
    };
  },
});

/** `codehost` is Codehost, `big-corp` is Big Corp. */
function labelOf(name: string): string {
  return name
    .split('-')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ');
}
