/** The face that pages and mails show: each field of the nearest place that has it. */
import { contrastOf, leastContrast } from '@tessera/rules/contrast';

export type FaceFields = {
  readonly name: string | null;
  readonly logoPath: string | null;
  readonly primaryColor: string | null;
  readonly backgroundColor: string | null;
  readonly termsUrl: string | null;
  readonly privacyUrl: string | null;
  readonly supportEmail: string | null;
};

export const noFace: FaceFields = {
  name: null,
  logoPath: null,
  primaryColor: null,
  backgroundColor: null,
  termsUrl: null,
  privacyUrl: null,
  supportEmail: null,
};

/** The installation's own: the last in every chain. */
export type PlatformFace = { readonly name: string; readonly color: string };

export type Face = FaceFields & {
  readonly name: string;
  readonly primaryColor: string;
  /** Whether a tenant has chosen any of it. */
  readonly isOfTenant: boolean;
};

export function platformFace({ name, color }: PlatformFace): Face {
  return { ...noFace, name, primaryColor: color, isOfTenant: false };
}

/** The nearest place first. */
export function mergeFaces(places: readonly FaceFields[], platform: Face): Face {
  const first = <Field extends keyof FaceFields>(field: Field) => places.find((place) => place[field] !== null)?.[field] ?? platform[field];
  return {
    name: first('name') ?? platform.name,
    logoPath: first('logoPath'),
    primaryColor: first('primaryColor') ?? platform.primaryColor,
    backgroundColor: first('backgroundColor'),
    termsUrl: first('termsUrl'),
    privacyUrl: first('privacyUrl'),
    supportEmail: first('supportEmail'),
    isOfTenant: places.length > 0,
  };
}

/** Without a background the colour is read on white. */
export function canBeRead({ primaryColor, backgroundColor }: Pick<Face, 'primaryColor' | 'backgroundColor'>): boolean {
  return contrastOf(primaryColor, backgroundColor ?? '#ffffff') >= leastContrast;
}

/** An address that pages may lead to: https, of a host alone. */
export function isLink(text: string): boolean {
  if (!URL.canParse(text) || !/^https:\/\/[^\s\\]+$/.test(text)) return false;
  const { protocol, username, password, hostname } = new URL(text);
  return protocol === 'https:' && username === '' && password === '' && hostname.includes('.');
}
