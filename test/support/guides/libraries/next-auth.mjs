/** What next-auth is over @auth/core, for one app; it is not installed here. */
import { Auth, skipCSRFCheck } from '@auth/core';

export default function NextAuth(config) {
  const surroundings = { basePath: '/api/auth', trustHost: true, secret: 'a secret of the app that signs its own cookies', skipCSRFCheck };
  const callbacks = {
    jwt: ({ token, account }) => (account ? { ...token, idToken: account.id_token } : token),
    session: ({ session, token }) => ({ ...session, idToken: token.idToken }),
  };
  const handle = (request) => Auth(request, { ...surroundings, callbacks, ...config });
  return { handlers: { GET: handle, POST: handle } };
}
