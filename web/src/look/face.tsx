import type { Output } from '@tessera/client';
import { type Palette, paletteOf } from '@tessera/rules/contrast';
import { useLayoutEffect } from 'react';
import { useWords } from '../words/language.tsx';

/** What a page shows of an app or an organization, or of this installation. */
export type Face = Output<'getPublicBranding'>;

/** The colour of the theme, which styles.css has tuned by hand. */
const ownColor = '#3b5bdb';

/** Whether it differs from what the product looks like. */
export function isOfTenant({ name, productName, logoUrl, termsUrl, privacyUrl, supportEmail }: Face): boolean {
  return name !== productName || [logoUrl, termsUrl, privacyUrl, supportEmail].some((field) => field !== null);
}

/** The variables that styles.css draws with. */
export function variablesOf({ light, dark, page }: Palette): Readonly<Record<`--brand-${string}`, string>> {
  return {
    '--brand-accent': light.accent,
    '--brand-hover': light.hover,
    '--brand-on': light.onAccent,
    '--brand-dark-accent': dark.accent,
    '--brand-dark-hover': dark.hover,
    '--brand-dark-on': dark.onAccent,
    ...(page && { '--brand-page': page.background, '--brand-page-title': page.title, '--brand-page-text': page.text }),
  };
}

/** Paints the page. Values are colours by their shape: the server sends no others, and none else is used. */
export function usePaint(face: Face | undefined): void {
  const { primary = ownColor, background = null } = face?.colors ?? {};
  useLayoutEffect(() => {
    const { style, dataset } = document.documentElement;
    if (primary === ownColor && background === null) return;
    const variables = Object.entries(variablesOf(paletteOf(primary, background)));
    for (const [name, value] of variables) style.setProperty(name, value);
    dataset['brand'] = '';
    return () => {
      for (const [name] of variables) style.removeProperty(name);
      delete dataset['brand'];
    };
  }, [primary, background]);
}

/** Of this host, whatever name it goes by: the page loads pictures from itself only. */
export function logoPathOf(logoUrl: string): string {
  return logoUrl.startsWith('data:') ? logoUrl : new URL(logoUrl).pathname;
}

export function FaceHead({ face: { name, logoUrl } }: { readonly face: Pick<Face, 'name' | 'logoUrl'> }) {
  return (
    <>
      {logoUrl === null ? null : <img className="face-logo" src={logoPathOf(logoUrl)} alt="" />}
      <strong>{name}</strong>
    </>
  );
}

/** Fixed words for the links of a tenant, and whose page it is. */
export function FaceFoot({ face: { termsUrl, privacyUrl, supportEmail, productName } }: { readonly face: Face }) {
  const { t } = useWords();
  const links = [
    [t('termsOfUse'), termsUrl],
    [t('privacy'), privacyUrl],
    [t('support'), supportEmail === null ? null : `mailto:${supportEmail}`],
  ] as const;
  return (
    <div className="face-foot">
      {links.map(([words, href]) =>
        href === null ? null : (
          <a key={words} href={href} target="_blank" rel="noopener noreferrer">
            {words}
          </a>
        ),
      )}
      <span>{t('pageBy', { product: productName })}</span>
    </div>
  );
}
