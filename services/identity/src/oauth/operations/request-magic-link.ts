import { strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { findProjectAppByClient } from '../../apps/storage/project-apps.ts';
import { auditCounted } from '../../ground/audit-counted.ts';
import { readAddress } from '../../people/operations/addresses.ts';
import { Address, Success } from '../../people/operations/entities.ts';
import { sendMagicLink } from '../../sign-in/magic-link.ts';
import { operation } from '../deps.ts';

export const requestMagicLink = operation({
  name: 'requestMagicLink',
  summary: 'Mail a link that signs in to an app; the answer is the same for every app and address',
  kind: 'mutation',
  input: strict({
    client_id: Type.String({ minLength: 1, maxLength: 200 }),
    redirect_uri: Type.String({ minLength: 1, maxLength: 2_048 }),
    state: Type.Optional(Type.String({ maxLength: 2_048 })),
    email: Address,
  }),
  output: Success,
  access: { open: 'the caller is not signed in' },
  scopes: 'none',
  verification: { exempt: 'the caller is not signed in' },
  isolation: { unscoped: 'the app is looked up by its client id, the address after the response' },
  limit: 'auth',
  errors: [],
  audit: 'project-oauth.link-requested',
  events: [],
  leaves: { ends: 'the link in the mail works once, and for hours' },
  rest: { method: 'POST', path: '/api/auth/project/email/request', status: 202 },
  graphql: { none: 'REST only: a part of the sign-in to an app' },
  clauses: ['spec:auth.10'],

  async handle(input, context) {
    const email = readAddress(input.email, 'email');
    // Client ids are public. What the caller has invented is not kept.
    const app = await findProjectAppByClient(context.tx, input.client_id);
    const target = app === undefined ? {} : { appId: app.id, clientId: app.clientId };
    auditCounted({ operation: 'requestMagicLink', action: 'project-oauth.link-requested', ...target }, context);
    return { ...input, email };
  },

  async complete({ client_id: clientId, redirect_uri: redirectUri, state, email }, { deps, request }) {
    const link = { clientId, redirectUri, email, language: request.language, ...(state === undefined ? {} : { clientState: state }) };
    deps.background.run('magic link', () => sendMagicLink(link, deps));
    return { success: true };
  },
});
