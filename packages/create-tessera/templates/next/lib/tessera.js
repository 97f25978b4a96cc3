import { tesseraAuth } from '@tessera/next';
import { createVerifier } from '@tessera/verifier';

const { APP_URL, SESSION_SECRET, TESSERA_ISSUER, TESSERA_CLIENT_ID, TESSERA_CLIENT_SECRET } = process.env;

export const tessera = tesseraAuth({
  issuer: TESSERA_ISSUER,
  clientId: TESSERA_CLIENT_ID,
  clientSecret: TESSERA_CLIENT_SECRET,
  baseUrl: APP_URL,
  secret: SESSION_SECRET,
  scope: 'openid profile email offline_access note:read note:write',
  isProtected: (url) => url.pathname.startsWith('/notes'),
});

/** For requests to the API, which bring an access token of this app. */
export const verifier = createVerifier({ issuers: [TESSERA_ISSUER], audience: TESSERA_CLIENT_ID, types: ['projectApp'] });
