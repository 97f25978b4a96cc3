/** An outer issuer of workload identities: discovery, keys, and tokens as GitHub's are. */
import { createServer, type ServerResponse } from 'node:http';
import { newId } from '@tessera/kernel/ids';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';

export type IssuerKey = { readonly privateKey: CryptoKey; readonly jwk: JWK };

export async function newIssuerKey(alg = 'RS256'): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { privateKey, jwk: { ...(await exportJWK(publicKey)), kid: newId(), alg, use: 'sig' } };
}

/** What an address of it answers in place of the truth. */
type Answer = (response: ServerResponse) => void;

export async function startOuterIssuer() {
  const key = await newIssuerKey();
  const counts = { discovery: 0, keys: 0 };
  const published: { keys: readonly JWK[]; issuer: string; jwksUri: string; discovery?: Answer; answer?: Answer } = {
    keys: [key.jwk],
    issuer: '',
    jwksUri: '',
  };
  const server = createServer(({ url }, response) => {
    const isDiscovery = url === '/.well-known/openid-configuration';
    counts[isDiscovery ? 'discovery' : 'keys'] += 1;
    const instead = isDiscovery ? published.discovery : published.answer;
    if (instead !== undefined) return instead(response);
    const document = isDiscovery
      ? { issuer: published.issuer, jwks_uri: published.jwksUri, id_token_signing_alg_values_supported: ['RS256'] }
      : { keys: published.keys };
    response.setHeader('content-type', 'application/json').end(JSON.stringify(document));
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  Object.assign(published, { issuer: url, jwksUri: `${url}/keys` });

  /** With what every one of them has; undefined leaves a claim out. */
  async function sign(
    claims: Readonly<Record<string, unknown>>,
    { by = key, header = {} }: { by?: IssuerKey; header?: Readonly<Record<string, unknown>> } = {},
  ) {
    const now = Math.floor(Date.now() / 1_000);
    const payload: JWTPayload = { iss: url, jti: newId(), iat: now, nbf: now, exp: now + 300, ...claims };
    return new SignJWT(payload)
      .setProtectedHeader({ typ: 'JWT', alg: by.jwk.alg ?? 'RS256', kid: by.jwk.kid ?? '', ...header })
      .sign(by.privateKey);
  }

  return {
    url,
    key,
    counts,
    published,
    sign,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The claims of a GitHub Actions token: docs.github.com, "OpenID Connect reference". */
export function githubClaims(repository = 'acme/api', ref = 'refs/heads/main') {
  const [owner = ''] = repository.split('/');
  return {
    sub: `repo:${repository}:ref:${ref}`,
    ref,
    sha: '5bdbf2bd2fd0a1ae2bdf3d6b7d0ad1e8f8e2a001',
    repository,
    repository_owner: owner,
    actor_id: '12',
    repository_visibility: 'private',
    repository_id: '74',
    repository_owner_id: '65',
    run_id: '9087452301',
    run_number: '10',
    run_attempt: '2',
    runner_environment: 'github-hosted',
    actor: 'ada',
    workflow: 'deploy',
    head_ref: '',
    base_ref: '',
    event_name: 'push',
    ref_protected: 'true',
    ref_type: 'branch',
    workflow_ref: `${repository}/.github/workflows/deploy.yml@${ref}`,
    job_workflow_ref: `${repository}/.github/workflows/deploy.yml@${ref}`,
  };
}

/** Those of a GitLab job: docs.gitlab.com, "ID token authentication". */
export function gitlabClaims(project = 'acme/tools/api', ref = 'main') {
  return {
    sub: `project_path:${project}:ref_type:branch:ref:${ref}`,
    namespace_id: '72',
    namespace_path: project.slice(0, project.lastIndexOf('/')),
    project_id: '20',
    project_path: project,
    user_id: '1',
    user_login: 'ada',
    user_email: 'ada@acme.example',
    pipeline_id: '574',
    pipeline_source: 'push',
    job_id: '302',
    ref,
    ref_type: 'branch',
    ref_path: `refs/heads/${ref}`,
    ref_protected: 'true',
    runner_id: 1,
    runner_environment: 'gitlab-hosted',
    sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
  };
}

/** Those of a pod's projected token: its audience is a list, and the pod is nested. */
export function kubernetesClaims(audience: string, namespace = 'prod', name = 'deployer') {
  return {
    aud: [audience],
    sub: `system:serviceaccount:${namespace}:${name}`,
    'kubernetes.io': {
      namespace,
      pod: { name: 'deployer-7d9c', uid: '5e0bd49b-f040-43b0-99b7-22765a53f7f3' },
      serviceaccount: { name, uid: '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' },
    },
  };
}
