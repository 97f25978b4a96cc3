import { strict } from '@tessera/kernel/operation';
import { noFace } from '../../../mail/domain/face.ts';
import { findBrandings, placesOf } from '../../../mail/storage/brandings.ts';
import { operation } from '../../deps.ts';
import { Branding, brandingScopeOf, brandingScopes, placeFields, requireApp, toBranding } from './branding.ts';

export const getBranding = operation({
  name: 'getBranding',
  summary: 'What an organization, a project or an app has set of its branding, and what pages and mails show with what it inherits',
  kind: 'query',
  input: strict(placeFields),
  output: Branding,
  access: { permission: 'Branding:Query' },
  scopes: brandingScopes,
  verification: 'by-scope',
  isolation: { none: 'one query of the places that were authorized' },
  errors: ['NOT_FOUND'],
  audit: { none: 'reading' },
  events: [],
  rest: { method: 'GET', path: '/api/branding' },
  graphql: { field: 'branding', type: 'Branding' },

  async handle({ appId }, context) {
    const { deps } = context;
    await requireApp(appId, context);
    const [nearest = '', ...above] = placesOf(brandingScopeOf(context), appId);
    const rows = await findBrandings(deps.database, [nearest, ...above]);
    const own = rows.find(({ place }) => place === nearest) ?? { ...noFace, updatedAt: null };
    return toBranding(
      own,
      rows.filter(({ place }) => place !== nearest),
      deps,
    );
  },
});
