/** Tokens of a service account, by its secret or by an ID token of the platform that runs it. */
import { ask } from './ask.ts';
import { exitCodes, Failure } from './failure.ts';
import { isIdToken, requestIdToken } from './id-token.ts';
import { alone, type JobToken, readJobToken, writeJobToken } from './profiles.ts';

type Env = Readonly<Record<string, string | undefined>>;
type Tokens = () => Promise<string>;

const bearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** How the account proves itself, as the environment says; undefined when there is nothing. */
export function tokensOf(url: string, clientId: string, secret: string | undefined, env: Env): Tokens | undefined {
  if (secret !== undefined) {
    const form = { grant_type: 'client_credentials', client_id: clientId, client_secret: secret };
    const hint = 'Check TESSERA_CLIENT_ID, and TESSERA_CLIENT_SECRET: it is wrong, was removed or has expired.';
    return async () => (await exchange(url, clientId, form, hint)).accessToken;
  }
  const audience = env['TESSERA_AUDIENCE'] || url;
  const { TESSERA_ID_TOKEN: given, ACTIONS_ID_TOKEN_REQUEST_URL: address, ACTIONS_ID_TOKEN_REQUEST_TOKEN: ticket } = env;
  const idToken = given?.trim();
  const trusted =
    'Its trust must name the issuer, the audience and the claims of the ID token; the audit log of the organization says what is wrong.';
  const byIdToken = (assertion: string, hint: string) =>
    exchange(url, clientId, { grant_type: bearerGrant, client_id: clientId, assertion }, hint);
  if (idToken) {
    if (!isIdToken(idToken))
      throw new Failure('TESSERA_ID_TOKEN is no ID token: it has three parts with dots between them.', exitCodes.usage);
    const hint = `An ID token works once, and TESSERA_ID_TOKEN may have been used before or have ended: then the job needs another one. ${trusted}`;
    return () => keptToken([url, clientId, idToken], () => byIdToken(idToken, hint));
  }
  if (address && ticket)
    return async () => {
      const hint = `The ID token that GitHub gave has the audience ${audience} (TESSERA_AUDIENCE). ${trusted}`;
      return (await byIdToken(await requestIdToken(address, ticket, audience), hint)).accessToken;
    };
  return undefined;
}

/** The access token of an ID token that is good once, for all commands of the job. */
async function keptToken(of: readonly string[], get: () => Promise<JobToken>): Promise<string> {
  return alone(async () => {
    const kept = readJobToken(of);
    if (kept !== undefined && kept.expiresAt > Date.now()) return kept.accessToken;
    const got = await get();
    writeJobToken(of, got);
    return got.accessToken;
  });
}

async function exchange(url: string, clientId: string, form: Readonly<Record<string, string>>, hint: string): Promise<JobToken> {
  const answer = await ask(`${url}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) }, url);
  const { access_token: accessToken, expires_in: lifetime, error, error_description: why } = answer.body;
  if (answer.status === 200 && typeof accessToken === 'string' && accessToken !== '')
    return { accessToken, expiresAt: Date.now() + Number(lifetime ?? 0) * 1_000 };
  if (typeof error !== 'string')
    throw new Failure(`${url} does not answer as Tessera does (${answer.status}). Check --url or TESSERA_URL.`);
  const isUnknown = error === 'invalid_client' || error === 'invalid_grant';
  const said = typeof why === 'string' ? why : error;
  throw new Failure(
    `${url} gives service account ${clientId} no token: ${said}.${isUnknown ? ` ${hint}` : ''}`,
    isUnknown ? exitCodes.signedOut : exitCodes.failed,
  );
}
