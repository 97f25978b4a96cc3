/** What a new credential proves the account by, and the checks of it. */
import { failures } from '@tessera/kernel/errors';
import { annotate } from '@tessera/kernel/operation';
import Type, { type Static } from 'typebox';
import { newClientSecret, newDirectoryToken } from '../../../ground/tokens/opaque-token.ts';
import type { AppsDeps } from '../../deps.ts';
import { plainKey, serviceKeysFault } from '../../domain/service-keys.ts';
import { trustFault } from '../../domain/trust.ts';
import type { NewProof } from '../../storage/service-accounts.ts';
import { assertFetched, JwksSchema } from '../openid-fields.ts';
import { Claims } from './service-account.ts';

/** None has an example of its own: `proofExamples` shows those that belong together. */
export const proofFields = {
  type: Type.Enum(['secret', 'directory', 'jwks', 'trust'], { graphqlType: 'String' }),
  jwks: Type.Optional(
    annotate(JwksSchema, {
      examples: [],
      description: 'Of type jwks, in place of jwksUri: `{ "keys": [{ "kty": "OKP", "crv": "Ed25519", "x": "…", "kid": "2026-11" }] }`',
    }),
  ),
  jwksUri: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2_000,
      examples: [],
      description: 'Of type jwks, in place of jwks: where the public keys are, as `https://machine.example.com/jwks.json`',
    }),
  ),
  issuer: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      examples: [],
      description:
        'Of type trust: as `iss` of its tokens; its discovery says where its keys are. `https://token.actions.githubusercontent.com` for GitHub Actions',
    }),
  ),
  audience: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 500,
      examples: [],
      description: 'Of type trust: exactly `aud` of the assertion, as `https://iam.example.com`',
    }),
  ),
  claims: Type.Optional(
    annotate(Claims, {
      examples: [],
      description: 'Of type trust: `{ "repository_id": "74", "sub": "repo:acme/api:environment:production" }`',
    }),
  ),
};
const Given = Type.Object(proofFields);
type Given = Static<typeof Given>;

/** One of each type. */
export const proofExamples = {
  secret: { type: 'secret' },
  jwks: {
    type: 'jwks',
    jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'wuDskrMF-ceAulfSVYHs3eBg-9OyXzI3FnuE6CAab8k', kid: '2026-11' }] },
  },
  jwksUri: { type: 'jwks', jwksUri: 'https://machine.example.com/jwks.json' },
  trustInGitHubActions: {
    type: 'trust',
    issuer: 'https://token.actions.githubusercontent.com',
    audience: 'https://iam.example.com',
    claims: { repository_id: '74', sub: 'repo:acme/api:environment:production' },
  },
  trustInGitLab: {
    type: 'trust',
    issuer: 'https://gitlab.com',
    audience: 'https://iam.example.com',
    claims: { project_id: '20', ref_protected: 'true', ref: 'main' },
  },
  trustInKubernetes: {
    type: 'trust',
    issuer: 'https://oidc.eks.eu-central-1.amazonaws.com/id/EXAMPLE',
    audience: 'https://iam.example.com',
    claims: { sub: 'system:serviceaccount:prod:deployer' },
  },
} satisfies Readonly<Record<string, Given>>;

const fieldsOf = {
  secret: [],
  directory: [],
  jwks: ['jwks', 'jwksUri'],
  trust: ['issuer', 'audience', 'claims'],
} as const satisfies Readonly<Record<Given['type'], readonly (keyof Given)[]>>;
const mostBytes = 16_384;

export function readProof(given: Given, deps: AppsDeps): NewProof {
  const own: readonly string[] = fieldsOf[given.type];
  const foreign = Object.values(fieldsOf)
    .flat()
    .find((name) => given[name] !== undefined && !own.includes(name));
  if (foreign !== undefined)
    throw failures.validation(foreign, { en: `is not for type ${given.type}`, de: `gilt nicht für den Typ ${given.type}` });
  if (given.type === 'directory') return { type: given.type, secret: newDirectoryToken() };
  if (given.type === 'secret') return { type: 'secret', secret: newClientSecret() };
  return given.type === 'jwks' ? readKeys(given, deps) : readTrust(given, deps);
}

/** Exactly one of both; the rules of apps that sign their requests. */
function readKeys({ jwks, jwksUri }: Given, deps: AppsDeps): NewProof {
  if ((jwks === undefined) === (jwksUri === undefined))
    throw failures.validation('jwks', { en: 'or jwksUri is required, and not both', de: 'oder jwksUri wird benötigt, nicht beides' });
  assertFetched('jwksUri', jwksUri, deps);
  if (jwks === undefined) return { type: 'jwks', jwks: null, jwksUri: jwksUri ?? null };
  if (JSON.stringify(jwks).length > mostBytes)
    throw failures.validation('jwks', { en: `may have ${mostBytes} characters at most`, de: `darf höchstens ${mostBytes} Zeichen haben` });
  const fault = serviceKeysFault(jwks);
  if (fault !== undefined) throw failures.validation(`jwks.keys.${fault.index}`, fault);
  return { type: 'jwks', jwks: { keys: jwks.keys.map(plainKey) }, jwksUri: null };
}

function readTrust({ issuer, audience, claims }: Given, deps: AppsDeps): NewProof {
  for (const [field, value] of Object.entries({ issuer, audience, claims }))
    if (value === undefined) throw failures.validation(field, { en: 'is required for type trust', de: 'wird für den Typ trust benötigt' });
  const trust = { issuer: issuer ?? '', audience: audience ?? '', claims: claims ?? {} };
  assertFetched('issuer', trust.issuer, deps);
  const fault = trustFault(trust, deps.settings);
  if (fault !== undefined) throw failures.validation(fault.field, fault);
  return { type: 'trust', ...trust };
}
