import type { IdentityDeps } from '../deps.ts';
import { allowsRedirect, chooseProvider, type ProjectApp } from '../domain/oauth/project-app.ts';
import { emailProvider } from '../domain/people.ts';
import { findCredentials, findMethodsByAddress } from '../storage/authentication-methods.ts';
import { findProjectAppByClient } from '../storage/project-apps.ts';
import { digest } from '../tokens/digest.ts';
import { newOpaqueToken } from '../tokens/opaque-token.ts';

export type LinkWish = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly clientState?: string;
  readonly email: string;
  readonly language: string;
};

const mostMails = 5;
const windowSeconds = 600;

/** Runs behind the answer. A link goes out only where it can lead somewhere, and not more often than somebody would ask for it. */
export async function sendMagicLink(wish: LinkWish, deps: IdentityDeps): Promise<void> {
  const app = await findProjectAppByClient(deps.database, wish.clientId);
  if (app === undefined || !allowsRedirect(app, wish.redirectUri)) return;
  if (chooseProvider(app, [], emailProvider) === undefined) return;
  if (!(await mayLeadSomewhere(wish.email, app, deps)) || (await isTooOften(wish, deps))) return;
  await send(wish, app, deps);
}

/** Strangers get mail only from apps that take strangers in; an address that somebody else put in unproven leads nowhere. */
async function mayLeadSomewhere(email: string, { allowSignUp }: ProjectApp, { database }: IdentityDeps): Promise<boolean> {
  const [own, known] = await Promise.all([findCredentials(database, emailProvider, email), findMethodsByAddress(database, email)]);
  if (own !== undefined) return own.isVerified;
  return allowSignUp || known.some(({ isVerified }) => isVerified);
}

async function isTooOften({ clientId, email }: LinkWish, { oauth }: IdentityDeps): Promise<boolean> {
  const { count } = await oauth.counters.increment(`oauth:mail:${digest(`${clientId} ${email}`)}`, 1, windowSeconds);
  return count > mostMails;
}

async function send({ clientId, redirectUri, clientState, email, language }: LinkWish, app: ProjectApp, deps: IdentityDeps) {
  const token = newOpaqueToken();
  const toApp = { clientId, redirectUri, ...(clientState === undefined ? {} : { clientState }) };
  const state = await deps.oauth.projectFlows.remember({ ...toApp, by: 'email', email, tokenDigest: digest(token) });
  const url = `${deps.settings.appUrl}/api/auth/project/callback?${new URLSearchParams({ token, state })}`;
  const mail = { template: 'magic-link', to: email, language, data: { appName: app.name, token, url } };
  await deps.database.transaction((tx) => deps.mailer.queue(tx, mail, new Date()));
  deps.mailer.poke();
}
