import { findProjectAppByClient } from '../apps/storage/project-apps.ts';
import { emailProvider } from '../ground/domain/people.ts';
import { allowsRedirect, chooseProvider, type ProjectApp } from '../ground/domain/project-app.ts';
import { digest } from '../ground/tokens/digest.ts';
import { newOpaqueToken } from '../ground/tokens/opaque-token.ts';
import { findAccountOf } from '../people/address-owner.ts';
import type { SignInDeps } from './deps.ts';

export type LinkRequest = {
  readonly clientId: string;
  readonly redirectUri: string;
  readonly clientState?: string;
  readonly email: string;
  readonly language: string;
};

const mostMails = 5;
const windowSeconds = 600;

/**
 * Runs after the response. A link is sent only if it can sign the person in, and at most five times
 * in ten minutes.
 */
export async function sendMagicLink(link: LinkRequest, deps: SignInDeps): Promise<void> {
  const app = await findProjectAppByClient(deps.database, link.clientId);
  if (app === undefined || !allowsRedirect(app, link.redirectUri)) return;
  if (chooseProvider(app, [], emailProvider) === undefined) return;
  if (!(await canSignIn(link.email, app, deps)) || (await isTooOften(link, deps))) return;
  await send(link, app, deps);
}

/** A free address gets mail only from apps that allow sign-up; an unproven one cannot sign in. */
async function canSignIn(email: string, { allowSignUp }: ProjectApp, { database }: SignInDeps): Promise<boolean> {
  const account = await findAccountOf(database, email);
  return account === 'free' ? allowSignUp : account !== 'disputed' && account.isProven;
}

async function isTooOften({ clientId, email }: LinkRequest, { counters }: SignInDeps): Promise<boolean> {
  const count = await counters.increment(`oauth:mail:${digest(`${clientId} ${email}`)}`, 1, windowSeconds);
  return count > mostMails;
}

async function send({ clientId, redirectUri, clientState, email, language }: LinkRequest, app: ProjectApp, deps: SignInDeps) {
  const token = newOpaqueToken();
  const target = { clientId, redirectUri, ...(clientState === undefined ? {} : { clientState }) };
  const state = await deps.projectFlows.remember({ ...target, by: 'email', email, tokenDigest: digest(token) });
  // To a page, whose button leads to the callback: mail scanners open links.
  const url = `${deps.settings.appUrl}/auth/project/email?${new URLSearchParams({ client_id: clientId, token, state })}`;
  const mail = { template: 'magic-link', to: email, language, data: { appName: app.name, clientId, token, url } };
  await deps.database.transaction((tx) => deps.mailer.queue(tx, mail, new Date()));
  deps.mailer.poke();
}
