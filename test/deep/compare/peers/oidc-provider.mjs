/** oidc-provider with one client and its own storage, which is memory. */
import { createPrivateKey } from 'node:crypto';
import Provider from 'oidc-provider';
import { serve } from './serve.mjs';

// Its warnings (memory as storage) would come where the address is expected.
console.info = console.warn;

const resource = 'https://api.example';

await serve({
  open: () => {
    const key = createPrivateKey(process.env.PRIVATE_KEY).export({ format: 'jwk' });
    const provider = new Provider(process.env.URL, {
      clients: [
        {
          client_id: 'machine',
          client_secret: process.env.SECRET,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
        },
      ],
      jwks: { keys: [{ ...key, use: 'sig', alg: 'RS256' }] },
      features: {
        clientCredentials: { enabled: true },
        devInteractions: { enabled: false },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => resource,
          getResourceServerInfo: () => ({
            scope: '',
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 900,
            jwt: { sign: { alg: 'RS256' } },
          }),
        },
      },
    });
    return provider.callback();
  },
});
