/** Branding in the API: what a tenant sets, and what pages show of it. */
import { failures } from '@tessera/kernel/errors';
import { Id, NameOf, Nullable, type OperationContext, scopeField, scopeOf, strict } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { type Face, type FaceFields, isLink, mergeFaces } from '../../../mail/domain/face.ts';
import type { BrandingScope } from '../../../mail/storage/brandings.ts';
import { readAddress } from '../../../people/operations/addresses.ts';
import { PictureFile, showPicture } from '../../../people/operations/pictures.ts';
import type { AppsDeps } from '../../deps.ts';
import { findProjectApp } from '../../storage/project-apps.ts';
import { projectScopeOf } from '../project-app.ts';

type Context = OperationContext<AppsDeps>;

export const brandingScopes = ['organizationProject', 'accountProject', 'organization'] as const;
export const placeFields = { ...scopeField, appId: Type.Optional(Id) };

const Color = Type.String({ pattern: '^#[0-9a-fA-F]{6}$', description: '#rrggbb' });
const Link = Type.String({ minLength: 1, maxLength: 2_000, description: 'https only', examples: ['https://www.example.com/terms'] });

const Colors = Type.Object({
  primary: Nullable(Type.String()),
  background: Nullable(Type.String()),
});

const links = { termsUrl: Nullable(Type.String()), privacyUrl: Nullable(Type.String()), supportEmail: Nullable(Type.String()) };

/** What pages show: every field of the nearest place that has it. */
export const PublicBranding = Type.Object({
  name: Type.String(),
  logoUrl: Nullable(Type.String()),
  colors: Type.Object({ primary: Type.String(), background: Nullable(Type.String()) }),
  ...links,
  productName: Type.String({ description: 'The name of this installation, which sends the mails and serves the pages' }),
});

export const Branding = Type.Object({
  name: Nullable(Type.String()),
  logoUrl: Nullable(Type.String()),
  colors: Colors,
  ...links,
  updatedAt: Nullable(Type.String({ description: 'Null when nothing is set here' })),
  shown: PublicBranding,
  inherited: PublicBranding,
});

/** A field that is left out keeps its value; null removes it, and the inherited value is shown. */
export const brandingFields = {
  name: Type.Optional(Nullable(NameOf(60))),
  logo: Type.Optional(Nullable(strict(PictureFile, { graphqlType: 'LogoInput' }))),
  colors: Type.Optional(
    Nullable(
      strict(
        { primary: Type.Optional(Nullable(Color)), background: Type.Optional(Nullable(Color)) },
        { graphqlType: 'BrandingColorsInput' },
      ),
    ),
  ),
  termsUrl: Type.Optional(Nullable(Link)),
  privacyUrl: Type.Optional(Nullable(Link)),
  supportEmail: Type.Optional(Nullable(Type.String({ minLength: 3, maxLength: 254 }))),
};
const Given = strict(brandingFields);
export type Given = Static<typeof Given>;

export function brandingScopeOf(context: Pick<Context, 'scope'>): BrandingScope {
  const { tenant, id } = scopeOf(context);
  const known = brandingScopes.find((one) => one === tenant);
  if (known === undefined)
    throw failures.validation('scope.tenant', {
      en: 'must be an organization or a project',
      de: 'muss eine Organisation oder ein Projekt sein',
    });
  return { tenant: known, id };
}

/** An app of another project is like none. */
export async function requireApp(appId: string | undefined, context: Context): Promise<void> {
  if (appId === undefined) return;
  if ((await findProjectApp(context.deps.database, projectScopeOf(context), appId)) === undefined) throw failures.notFound('ProjectApp');
}

/** The fields as they are kept. The logo is stored by then. */
export function fieldsAfter(before: FaceFields, given: Given, logoPath: string | null | undefined): FaceFields {
  const { name = before.name, termsUrl = before.termsUrl, privacyUrl = before.privacyUrl, supportEmail = before.supportEmail } = given;
  const colors = given.colors === null ? { primary: null, background: null } : (given.colors ?? {});
  const { primary = before.primaryColor, background = before.backgroundColor } = colors;
  return {
    name,
    logoPath: logoPath === undefined ? before.logoPath : logoPath,
    primaryColor: primary?.toLowerCase() ?? null,
    backgroundColor: background?.toLowerCase() ?? null,
    termsUrl,
    privacyUrl,
    supportEmail,
  };
}

/** Links that pages may show. An address is written as all addresses are. */
export function readLinks(given: Given): Given {
  for (const field of ['termsUrl', 'privacyUrl'] as const) {
    const link = given[field];
    if (link != null && !isLink(link))
      throw failures.validation(field, {
        en: 'must be an https address with the name of a host and without a user',
        de: 'muss eine https-Adresse mit einem Hostnamen und ohne Benutzer sein',
      });
  }
  return given.supportEmail == null ? given : { ...given, supportEmail: readAddress(given.supportEmail, 'supportEmail') };
}

export function toPublic(face: Face, deps: Pick<AppsDeps, 'settings' | 'faces'>): Static<typeof PublicBranding> {
  const { name, logoPath, primaryColor, backgroundColor, termsUrl, privacyUrl, supportEmail } = face;
  return {
    name,
    logoUrl: urlOf(logoPath, deps),
    colors: { primary: primaryColor, background: backgroundColor },
    termsUrl,
    privacyUrl,
    supportEmail,
    productName: deps.faces.platform.name,
  };
}

type Kept = FaceFields & { readonly updatedAt: string | null };

/** `above`: the places whose fields count where this one has none, the nearest first. */
export function toBranding(own: Kept, above: readonly FaceFields[], deps: AppsDeps): Static<typeof Branding> {
  const { name, logoPath, primaryColor, backgroundColor, termsUrl, privacyUrl, supportEmail, updatedAt } = own;
  return {
    name,
    logoUrl: urlOf(logoPath, deps),
    colors: { primary: primaryColor, background: backgroundColor },
    termsUrl,
    privacyUrl,
    supportEmail,
    updatedAt,
    shown: toPublic(mergeFaces([own, ...above], deps.faces.platform), deps),
    inherited: toPublic(mergeFaces(above, deps.faces.platform), deps),
  };
}

function urlOf(logoPath: string | null, { settings }: Pick<AppsDeps, 'settings'>): string | null {
  return logoPath === null ? null : showPicture({ settings }, logoPath).url;
}
