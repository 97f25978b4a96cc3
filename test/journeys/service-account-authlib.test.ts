/** Debian's authlib gets tokens of service accounts, as docs/service-accounts.md says. */
import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from '@jest/globals';
import { decodeJwt, exportPKCS8 } from 'jose';
import { newIssuerKey } from '../../services/identity/src/testing/outer-issuer.ts';
import { openStack } from '../support/shared-stack.ts';
import { testUnless } from '../support/unless.ts';
import { createServiceAccount, createWorld, dataOf } from '../support/world.ts';

const python = '/usr/bin/python3';
const script = `
import os
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT

issuer = os.environ["ISSUER"]
if "KEY" in os.environ:
    method = PrivateKeyJWT(issuer, headers={"kid": os.environ["KID"]})
else:
    method = "client_secret_basic"
proof = os.environ.get("KEY") or os.environ["CLIENT_SECRET"]
session = OAuth2Session(os.environ["CLIENT_ID"], proof, token_endpoint_auth_method=method)
print(session.fetch_token(issuer + "/oauth/token", grant_type="client_credentials")["access_token"])
`;

function withoutAuthlib(): string | false {
  try {
    execFileSync(python, ['-c', 'import authlib, requests'], { stdio: 'ignore' });
    return false;
  } catch {
    return `SKIPPED: NOT RUN, no authlib or requests for ${python} here (.ci/run installs them)`;
  }
}

testUnless(withoutAuthlib())(
  'authlib gets a token of a service account by a secret, and by a key with the issuer as audience',
  async () => {
    const stack = await openStack();
    const world = await createWorld(stack);
    const { id, clientSecret } = await createServiceAccount(stack.url, world, 'Viewer');
    const { privateKey, jwk } = await newIssuerKey('RS256');
    const { owner, organization } = world;
    const credential = { scope: organization, type: 'jwks', jwks: { keys: [jwk] } };
    dataOf(await owner.client.post(`/api/service-accounts/${id}/credentials`, credential, owner.token));
    const proofs = [{ CLIENT_SECRET: clientSecret }, { KEY: await exportPKCS8(privateKey), KID: jwk.kid ?? '' }];
    for (const proof of proofs) {
      const env = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', ISSUER: stack.url, CLIENT_ID: id, ...proof };
      const { stdout } = await promisify(execFile)(python, ['-c', script], { env });
      expect(decodeJwt(stdout)).toMatchObject({ sub: id, iss: stack.url, type: 'apiKey' });
    }
  },
);
