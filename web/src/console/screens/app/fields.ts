/** The fields of an app's form, and what of them is sent. */

import type { Input, Item } from '@tessera/client';
import { type AppType, type AuthMethod, choicesOf, defaultsOf, type GrantType, type IdTokenAlgorithm } from '@tessera/rules/app-types';
import { objectOf } from '../../parts/form/json.ts';

export type App = Item<'listProjectApps'>;
/** `none`: an app of the fragment flow, without a type. */
export type Kind = AppType | 'none';
export const kinds: readonly Kind[] = ['web', 'spa', 'native', 'machine', 'none'];

export type Fields = {
  readonly name: string;
  readonly kind: Kind;
  readonly redirectUris: string[];
  readonly postLogoutRedirectUris: string[];
  readonly backchannelLogoutUri: string;
  readonly scopes: string[];
  readonly enabledProviders: string[];
  readonly tokenEndpointAuthMethod: AuthMethod;
  readonly grantTypes: GrantType[];
  readonly jwks: string;
  readonly jwksUri: string;
  readonly roleId: string | null;
  readonly allowSignUp: boolean;
  readonly signUpRoleId: string | null;
  readonly isFirstParty: boolean;
  readonly requireSecondFactor: boolean;
  readonly requirePkce: boolean;
  readonly actsInGrants: boolean;
  readonly allowOrganizationSignUp: boolean;
  readonly allowEmailCode: boolean;
  readonly dpopBoundAccessTokens: boolean;
  readonly idTokenSignedResponseAlg: IdTokenAlgorithm;
  readonly mayAct: string[];
};

export function fieldsOf(app: App | undefined): Fields {
  const kind = app === undefined ? 'web' : (app.type ?? 'none');
  return {
    kind,
    name: app?.name ?? '',
    redirectUris: app?.redirectUris ?? [],
    scopes: app?.scopes ?? [],
    postLogoutRedirectUris: app?.postLogoutRedirectUris ?? [],
    backchannelLogoutUri: app?.backchannelLogoutUri ?? '',
    enabledProviders: app?.enabledProviders ?? [],
    roleId: app?.roleId ?? null,
    ...clientOf(kind),
    ...(app?.tokenEndpointAuthMethod ? { tokenEndpointAuthMethod: app.tokenEndpointAuthMethod, grantTypes: app.grantTypes } : {}),
    jwks: app?.jwks ? JSON.stringify(app.jwks, null, 2) : '',
    jwksUri: app?.jwksUri ?? '',
    allowSignUp: app?.allowSignUp ?? false,
    signUpRoleId: app?.signUpRoleId ?? null,
    isFirstParty: app?.isFirstParty ?? false,
    requireSecondFactor: app?.requireSecondFactor ?? false,
    requirePkce: app?.requirePkce ?? true,
    actsInGrants: app?.actsInGrants ?? false,
    allowOrganizationSignUp: app?.allowOrganizationSignUp ?? false,
    allowEmailCode: app?.allowEmailCode ?? true,
    dpopBoundAccessTokens: app?.dpopBoundAccessTokens ?? false,
    idTokenSignedResponseAlg: app?.idTokenSignedResponseAlg ?? 'RS256',
    mayAct: app?.mayAct ?? [],
  };
}

/** How an app of this kind authenticates, and by which grants, until the person says otherwise. */
export function clientOf(kind: Kind): Pick<Fields, 'tokenEndpointAuthMethod' | 'grantTypes'> {
  const { tokenEndpointAuthMethod, grantTypes } = defaultsOf(kind === 'none' ? 'web' : kind);
  return { tokenEndpointAuthMethod, grantTypes: [...grantTypes] };
}

export function methodsOf(kind: Kind): readonly AuthMethod[] {
  return kind === 'none' ? [] : choicesOf(kind).methods;
}

export function grantsOf(kind: Kind): readonly GrantType[] {
  return kind === 'none' ? [] : choicesOf(kind).grants;
}

export const signsItself = ({ kind, tokenEndpointAuthMethod }: Fields) => kind !== 'none' && tokenEndpointAuthMethod === 'private_key_jwt';

type Sent = Omit<Input<'createProjectApp'>, 'scope' | 'type' | 'tagIds' | 'primaryTagId'>;

/** What the API takes of the fields: those that apps of the kind may have. */
function sentOf(fields: Fields): Sent {
  const { kind, name, enabledProviders, tokenEndpointAuthMethod, grantTypes, roleId, dpopBoundAccessTokens } = fields;
  const keys = signsItself(fields) ? { jwks: jwksOf(fields.jwks), jwksUri: fields.jwksUri.trim() || null } : { jwks: null, jwksUri: null };
  const client = { tokenEndpointAuthMethod, grantTypes, dpopBoundAccessTokens, mayAct: fields.mayAct, ...keys };
  if (kind === 'machine') return { name: name.trim(), ...client, roleId, actsInGrants: fields.actsInGrants };
  const { redirectUris, scopes, allowSignUp, postLogoutRedirectUris, backchannelLogoutUri, isFirstParty, requireSecondFactor } = fields;
  const signUpRoleId = allowSignUp ? fields.signUpRoleId : null;
  const ofPeople = { name: name.trim(), redirectUris, scopes, enabledProviders, allowSignUp, signUpRoleId };
  if (kind === 'none') return ofPeople;
  const ends = { postLogoutRedirectUris, backchannelLogoutUri: backchannelLogoutUri.trim() || null };
  const { idTokenSignedResponseAlg } = fields;
  const demands = {
    idTokenSignedResponseAlg,
    allowEmailCode: fields.allowEmailCode,
    requireSecondFactor,
    requirePkce: kind !== 'web' || fields.requirePkce,
  };
  return { ...ofPeople, ...client, ...ends, ...demands, isFirstParty, allowOrganizationSignUp: fields.allowOrganizationSignUp };
}

function jwksOf(text: string): Sent['jwks'] {
  const value = text.trim() === '' ? undefined : objectOf(text);
  return value === undefined ? null : { keys: Array.isArray(value['keys']) ? value['keys'] : [value] };
}

export function creationOf(fields: Fields): Sent & Pick<Input<'createProjectApp'>, 'type'> {
  return { ...sentOf(fields), ...(fields.kind === 'none' ? {} : { type: fields.kind }) };
}

/** Only what differs: who changes where tokens go, or what they may do, vouches for the app. */
export function changeOf(app: App, fields: Fields): Partial<Sent> {
  const before: Readonly<Record<string, unknown>> = sentOf(fieldsOf(app));
  const changed = Object.entries(sentOf(fields)).filter(([name, value]) => JSON.stringify(before[name]) !== JSON.stringify(value));
  return Object.fromEntries(changed);
}
