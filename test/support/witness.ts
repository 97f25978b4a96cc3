/**
 * Keeps what a client was answered. The secrets that an answer is there to bring are noted and cut
 * out of it, at exactly the places below; anywhere else they are a find.
 */
import { type FieldNode, Kind, parse, type SelectionSetNode } from 'graphql';
import { keepsEvidence, noteEvidence, noteSecret, noteToken, type SecretKind } from './evidence.ts';

const tokens = ['accessToken', 'refreshToken'];
const shownInRest: Readonly<Record<string, readonly string[]>> = {
  'POST /api/auth/register': tokens,
  'POST /api/auth/login': [...tokens, 'secondFactor'],
  'POST /api/auth/second-factor': tokens,
  'POST /api/auth/email-code/verify': [...tokens, 'secondFactor'],
  'POST /api/auth/passkey': tokens,
  'POST /api/auth/confirm': tokens,
  'POST /api/auth/refresh': tokens,
  'POST /api/auth/cli-callback': [...tokens, 'secondFactor'],
  'POST /api/auth/token': ['accessToken'],
  'POST /api/api-keys': ['clientSecret'],
  'POST /api/connections/set-up-links': ['url'],
};
const shownInGraphql: Readonly<Record<string, readonly string[]>> = {
  register: tokens,
  login: [...tokens, 'secondFactor'],
  loginWithPasskey: tokens,
  completeSecondFactor: tokens,
  verifyEmailCode: [...tokens, 'secondFactor'],
  confirmIdentity: ['accessToken'],
  refreshSession: tokens,
  exchangeApiKey: ['accessToken'],
  exchangeSupportAccess: ['accessToken'],
  createApiKey: ['clientSecret'],
  createSetUpLink: ['url'],
};
/** Where a sign-in through a browser hands over its result. */
const shownInLocation: Readonly<Record<string, RegExp>> = {
  '/api/auth/codehost/callback': /(?<=[?&](?:code|confirmation)=)[^&#]+/g,
  '/api/auth/project/callback': /(?<=[#&](?:access_token|token)=)[^&]+/g,
};

/** The token of a supporter, for one access. */
const supportToken = /^\/api\/support-access\/[^/]+\/token$/;

/** Token responses of OpenID providers have no envelope (RFC 6749 section 5.1). */
const openidToken = /\/oauth\/token$/;
const shownByOpenid = { access_token: 'accessToken', refresh_token: 'refreshToken', id_token: 'accessToken' };

const sentSecrets: Readonly<Record<string, SecretKind>> = {
  password: 'password',
  newPassword: 'password',
  currentPassword: 'password',
  confirmPassword: 'password',
  refreshToken: 'refresh token',
  clientSecret: 'API-key secret',
  token: 'one-time token',
};

export type Exchange = {
  readonly method: string;
  readonly path: string;
  /** The bearer token, if any. */
  readonly token: string | undefined;
  readonly sent: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
};

type Json = Readonly<Record<string, unknown>>;
function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function witness(exchange: Exchange): void {
  if (!keepsEvidence()) return;
  const { method, path, token, sent, status, headers, body } = exchange;
  const [route = ''] = path.split('?');
  if (token !== undefined) noteToken(token);
  const isRefused = status >= 400 || (isObject(body) && body.errors !== undefined);
  // What was refused was no secret of ours, or is noted by the test that sent it: hostile input
  // uses odd words as passwords.
  if (!isRefused) noteSent(sent);
  const rest =
    route === '/graphql'
      ? withoutFields(body, sent)
      : withoutData(openidToken.test(route) ? without(body, shownByOpenid) : body, shownIn(method, route));
  const pattern = route.replace(/[^/]{20,}/g, '…'); // an id, or the token of an invitation that we sent ourselves
  noteEvidence('answer', `${method} ${pattern} ${status} ${JSON.stringify(withoutHandovers(headers, route))} ${JSON.stringify(rest)}`);
}

function shownIn(method: string, route: string): readonly string[] {
  return supportToken.test(route) ? ['accessToken'] : (shownInRest[`${method} ${route}`] ?? []);
}

function noteSent(value: unknown): void {
  if (Array.isArray(value)) for (const item of value) noteSent(item);
  if (!isObject(value)) return;
  for (const [name, part] of Object.entries(value)) {
    const kind = Object.hasOwn(sentSecrets, name) ? sentSecrets[name] : undefined;
    if (kind !== undefined) noteSecret(kind, part);
    noteSent(part);
  }
}

function noteShown(name: string, value: unknown): void {
  if (value === undefined) return;
  if (name === 'accessToken' && typeof value === 'string') noteToken(value);
  else if (name === 'url') noteSecret('one-time token', new URL(String(value)).hash.slice('#token='.length));
  else noteSecret(name === 'clientSecret' ? 'API-key secret' : 'refresh token', value);
}

function without(value: unknown, names: Readonly<Record<string, string>>): unknown {
  if (!isObject(value)) return value;
  for (const [key, name] of Object.entries(names)) noteShown(name, value[key]);
  return Object.fromEntries(Object.entries(value).filter(([key]) => !Object.hasOwn(names, key)));
}

function withoutData(body: unknown, names: readonly string[]): unknown {
  return names.length === 0 || !isObject(body)
    ? body
    : { ...body, data: without(body.data, Object.fromEntries(names.map((name) => [name, name]))) };
}

/** By the names that the document gave them: an alias is the same field. */
function withoutFields(body: unknown, sent: unknown): unknown {
  if (!isObject(body) || !isObject(body.data) || !isObject(sent) || typeof sent.query !== 'string') return body;
  const data: Record<string, unknown> = { ...body.data };
  for (const root of rootFields(sent.query)) {
    const names = shownInGraphql[root.name.value] ?? [];
    const shown = fieldsOf(root.selectionSet).filter(({ name }) => names.includes(name.value));
    const key = keyOf(root);
    data[key] = without(data[key], Object.fromEntries(shown.map((field) => [keyOf(field), field.name.value])));
  }
  return { ...body, data };
}

function keyOf({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}
function fieldsOf(selections: SelectionSetNode | undefined): readonly FieldNode[] {
  return selections?.selections.filter((selection) => selection.kind === Kind.FIELD) ?? [];
}

function rootFields(query: string): readonly FieldNode[] {
  const { definitions } = parse(query);
  return definitions.flatMap((definition) => (definition.kind === Kind.OPERATION_DEFINITION ? fieldsOf(definition.selectionSet) : []));
}

function withoutHandovers(headers: Exchange['headers'], route: string): Exchange['headers'] {
  const cookies = [headers['set-cookie'] ?? []].flat().map((line) =>
    line.replace(/(?<=^(?:__Host-)?refresh_token=)[^;]+/, (value) => {
      noteSecret('refresh token', value);
      return '';
    }),
  );
  const place = Object.hasOwn(shownInLocation, route) ? shownInLocation[route] : undefined;
  const location = String(headers.location ?? '');
  const cut = place === undefined ? location : location.replace(place, noteHandover);
  return { ...headers, 'set-cookie': cookies, location: cut };
}

function noteHandover(value: string): string {
  if (value.includes('.')) noteToken(value);
  else noteSecret('one-time token', value);
  return '';
}
