/** Bare oidc-provider with its own pages, as its readme starts it: any name and any password. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

const client = { clientId: 'tessera', clientSecret: 'a secret of the provider, 32 characters' };

export async function startBareProvider(cleanup: AsyncDisposableStack, domain: string) {
  let provider: Provider | undefined;
  const server = createServer((request, response) => {
    if (provider === undefined) return void response.writeHead(503).end();
    void provider.callback()(request, response);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanup.defer(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    client,
    register(callbackUrl: string): void {
      provider = new Provider(issuer, {
        clients: [{ client_id: client.clientId, client_secret: client.clientSecret, redirect_uris: [callbackUrl] }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
        cookies: { keys: ['a key of the tests'] },
        findAccount: (_context, id) => ({
          accountId: id,
          claims: () => ({ sub: id, name: 'Ann Birch', email: `${id}@${domain}`, email_verified: true }),
        }),
      });
    },
  };
}
