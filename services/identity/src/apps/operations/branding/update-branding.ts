import { newId } from '@tessera/kernel/ids';
import { assertVersion, strict } from '@tessera/kernel/operation';
import { holdScope } from '../../../ground/storage/ended-scopes.ts';
import { canBeRead, type FaceFields, mergeFaces, noFace } from '../../../mail/domain/face.ts';
import { discardPictures, findBrandings, lockBranding, placesOf, saveBranding } from '../../../mail/storage/brandings.ts';
import { keepPicture, orDropPicture, pictureLimitBytes } from '../../../people/operations/pictures.ts';
import { type AppsDeps, operation } from '../../deps.ts';
import { errors } from '../../errors.ts';
import {
  Branding,
  brandingFields,
  brandingScopeOf,
  brandingScopes,
  fieldsAfter,
  type Given,
  placeFields,
  readLinks,
  requireApp,
  toBranding,
} from './branding.ts';

export const updateBranding = operation({
  name: 'updateBranding',
  summary:
    'Update the branding of an organization, a project or an app; fields that are left out keep their value, and null removes a value',
  kind: 'mutation',
  input: strict({ ...placeFields, ...brandingFields }),
  output: Branding,
  access: { permission: 'Branding:Update' },
  scopes: brandingScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND'],
  audit: 'branding.updated',
  versioned: true,
  events: [],
  leaves: { ends: 'its addresses are shown to people, and called by no program' },
  rest: { method: 'PUT', path: '/api/branding', bodyLimitBytes: pictureLimitBytes },
  graphql: { field: 'updateBranding', type: 'Branding' },
  example: {
    input: { name: 'Acme', colors: { primary: '#7a1f5c', background: '#f6f1ea' }, termsUrl: 'https://www.example.com/terms' },
    records: ['name', 'termsUrl'],
  },

  async prepare({ scope: _scope, appId, ...given }, context) {
    await requireApp(appId, context);
    const read = readLinks(given);
    if (given.logo == null) return { given: read, logoPath: given.logo };
    // Asked again under the lock. Nothing is stored for a change that is refused already.
    const [place = '', ...others] = placesOf(brandingScopeOf(context), appId);
    const rows = await findBrandings(context.deps.database, [place, ...others]);
    const own = rows.find((row) => row.place === place) ?? { ...noFace, updatedAt: null };
    await assertVersion(context.request, async () => own);
    const above = rows.filter((row) => row.place !== place);
    assertReadable(read, [fieldsAfter(own, read, own.logoPath), ...above], context.deps);
    return { given: read, logoPath: await keepPicture(context.deps, newId(), given.logo.file, { isAnimated: false }) };
  },

  async handle({ appId }, context, { given, logoPath }) {
    const { tx, deps, now, audit } = context;
    const scope = brandingScopeOf(context);
    await holdScope(tx, scope.id);
    const [place = '', ...others] = placesOf(scope, appId);
    const { row: before, isFirst } = await lockBranding(tx, place, scope, now);
    const after = fieldsAfter(before, given, logoPath);
    const above = await findBrandings(tx, others);
    await orDropPicture(deps, logoPath, async () => {
      await assertVersion(context.request, async () => (isFirst ? { updatedAt: null } : before));
      assertReadable(given, [after, ...above], deps);
    });
    const updatedAt = await saveBranding(tx, place, after, now);
    if (before.logoPath !== null && before.logoPath !== after.logoPath) await discardPictures(tx, [before.logoPath]);
    audit({ targetType: 'Branding', targetId: place, before: recorded(before), after: recorded(after) });
    return { kept: { ...after, updatedAt }, above };
  },

  async complete({ kept, above }, { deps }) {
    deps.faces.forget();
    return toBranding(kept, above, deps);
  },
});

/** The nearest first. */
function assertReadable({ colors }: Given, shown: readonly FaceFields[], { faces }: Pick<AppsDeps, 'faces'>): void {
  if (colors != null && !canBeRead(mergeFaces(shown, faces.platform))) throw errors.unreadableColors({ extensions: { field: 'colors' } });
}

/** As the log shows them. */
function recorded({ name, logoPath, primaryColor, backgroundColor, termsUrl, privacyUrl, supportEmail }: FaceFields) {
  return { name, logo: logoPath, primaryColor, backgroundColor, termsUrl, privacyUrl, supportEmail };
}
