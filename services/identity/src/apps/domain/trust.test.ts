import { describe, expect, test } from '@jest/globals';
import { isFor, trustFault, unmatchedClaim } from './trust.ts';

const own = { appUrl: 'https://iam.example', frontendUrl: 'https://pages.example' };
const github = 'https://token.actions.githubusercontent.com';
const cluster = 'https://oidc.cluster.example/id/1';
const fieldOf = (issuer: string, claims: Readonly<Record<string, string>>) =>
  trustFault({ issuer, audience: 'https://iam.example', claims }, own)?.field;

describe('trust in an outer issuer', () => {
  test.each<[issuer: string, claims: Record<string, string>]>([
    [github, { sub: 'repo:acme/api:ref:refs/heads/main' }],
    [github, { sub: 'repo:acme/api:*' }],
    [github, { sub: 'repo:acme/api:environment:prod*' }],
    [github, { sub: 'repo:acme@65/api@74:ref:refs/heads/main' }],
    [github, { repository: 'acme/api', ref: 'refs/heads/*' }],
    [github, { sub: 'repo:acme/*', repository_id: '74' }],
    ['https://github.acme.example/_services/token', { sub: 'repo:acme/api:*' }],
    ['https://gitlab.com', { sub: 'project_path:acme/tools/api:ref_type:branch:ref:main' }],
    ['https://gitlab.com', { project_id: '20', ref_protected: 'true' }],
    ['https://gitlab.acme.example', { namespace_id: '72' }],
    [cluster, { sub: 'system:serviceaccount:prod:deployer' }],
    [cluster, { sub: 'system:serviceaccount:prod:*' }],
    ['https://app.terraform.io', { sub: 'organization:acme:project:api:workspace:prod:run_phase:*' }],
    ['https://app.terraform.io', { terraform_workspace_id: 'ws-1' }],
    ['https://agent.buildkite.com', { sub: 'organization:acme:pipeline:api:*' }],
    ['https://agent.buildkite.com', { organization_id: '0183a', sub: 'organization:*' }],
    ['https://accounts.google.com', { sub: '104' }],
    ['https://accounts.google.com', { email: 'deployer@acme.iam.gserviceaccount.com' }],
    ['https://accounts.example', { email: 'ada@acme.example' }],
    ['https://accounts.example/', { 'https://acme.example/team': 'ops' }],
  ])('%s %j is kept', (issuer, claims) => expect(fieldOf(issuer, claims)).toBeUndefined());

  test.each<[why: string, issuer: string, claims: Record<string, string>, field: string]>([
    ['no claim', github, {}, 'claims'],
    ['all repositories of GitHub', github, { sub: 'repo:*' }, 'claims.sub'],
    ['the start of a word', github, { sub: 'r*' }, 'claims.sub'],
    ['an owner without its separator', github, { sub: 'repo:acme*' }, 'claims.sub'],
    ['all repositories of an owner', github, { sub: 'repo:acme/*' }, 'claims.sub'],
    ['a repository without its separator', github, { sub: 'repo:acme/api*' }, 'claims.sub'],
    ['a branch of anybody', github, { ref: 'refs/heads/main' }, 'claims'],
    ['a workflow that anybody may call', github, { job_workflow_ref: 'acme/api/.github/workflows/x.yml@refs/heads/main' }, 'claims'],
    ['an owner alone', github, { repository_owner: 'acme' }, 'claims'],
    ['a pattern of repositories', github, { repository: 'acme/*' }, 'claims'],
    ['GitHub’s shape at another host', 'https://github.acme.example/_services/token', { sub: 'repo:a*' }, 'claims.sub'],
    ['a subject of GitHub without its parts', github, { sub: 'acme' }, 'claims.sub'],
    ['all projects of a group', 'https://gitlab.com', { sub: 'project_path:acme/*' }, 'claims.sub'],
    ['a project without its separator', 'https://gitlab.com', { sub: 'project_path:acme/api*' }, 'claims.sub'],
    ['a protected branch of anybody', 'https://gitlab.com', { ref_protected: 'true' }, 'claims'],
    ['all of a cluster', cluster, { sub: 'system:serviceaccount:*' }, 'claims.sub'],
    ['all subjects of a cluster', cluster, { sub: 'system:*' }, 'claims.sub'],
    ['a namespace without its separator', cluster, { sub: 'system:serviceaccount:prod*' }, 'claims.sub'],
    ['a workspace of anybody', 'https://app.terraform.io', { terraform_workspace_name: 'prod' }, 'claims'],
    ['an organization without its separator', 'https://app.terraform.io', { sub: 'organization:acme*' }, 'claims.sub'],
    ['a pipeline of anybody', 'https://agent.buildkite.com', { pipeline_slug: 'api' }, 'claims'],
    ['all organizations, at another host', cluster, { sub: 'organization:*' }, 'claims.sub'],
    ['a tenth of all people', 'https://accounts.google.com', { sub: '1*' }, 'claims.sub'],
    ['a domain that everybody may claim', 'https://accounts.google.com', { email: 'deployer@*' }, 'claims'],
    ['a star alone', cluster, { sub: '*' }, 'claims.sub'],
    ['a star in the middle', cluster, { sub: 'system:*:prod' }, 'claims.sub'],
    ['two stars', cluster, { team: 'a**' }, 'claims.team'],
    ['nothing', cluster, { sub: '' }, 'claims.sub'],
    ['the issuer again', cluster, { iss: cluster }, 'claims.iss'],
    ['the audience again', cluster, { aud: 'https://iam.example' }, 'claims.aud'],
    ['no name', cluster, { '': 'x' }, 'claims'],
    ['the prototype', cluster, JSON.parse('{"__proto__":"x"}'), 'claims'],
    ['a query', `${cluster}?x=1`, { sub: 'x' }, 'issuer'],
    ['an empty query', `${cluster}?`, { sub: 'x' }, 'issuer'],
    ['a fragment', `${cluster}#x`, { sub: 'x' }, 'issuer'],
    ['a user', 'https://ada:secret@cluster.example', { sub: 'x' }, 'issuer'],
    ['a space', ` ${cluster}`, { sub: 'x' }, 'issuer'],
    ['no address', 'cluster', { sub: 'x' }, 'issuer'],
    ['the platform', 'https://iam.example', { sub: 'x' }, 'issuer'],
    ['a project of the platform', 'https://iam.example/org/a/prj/b', { sub: 'x' }, 'issuer'],
    ['the pages of the platform', 'https://pages.example', { sub: 'x' }, 'issuer'],
  ])('%s is refused', (_why, issuer, claims, field) => expect(fieldOf(issuer, claims)).toBe(field));

  test('a refused pattern is told what would match', () => {
    const fault = trustFault({ issuer: github, audience: 'x', claims: { sub: 'repo:acme/*' } }, own);
    expect(fault?.en).toBe(
      'names no repository, so that other repositories would match: write repo:<owner>/<repository>:…, or add repository',
    );
  });
});

describe('the claims of an assertion', () => {
  const sub = { claims: { sub: 'repo:acme/api:*' } };
  test.each<[what: string, trust: { claims: Record<string, string> }, payload: object, unmatched: string | undefined]>([
    ['the same', { claims: { sub: 'x' } }, { sub: 'x' }, undefined],
    ['a prefix', sub, { sub: 'repo:acme/api:ref:refs/heads/main' }, undefined],
    ['another repository', sub, { sub: 'repo:acme/api-evil:ref:refs/heads/main' }, 'sub'],
    ['other case', { claims: { sub: 'x' } }, { sub: 'X' }, 'sub'],
    ['the pattern itself, where the value is exact', { claims: { sub: 'x' } }, { sub: 'x*' }, 'sub'],
    ['a second claim that differs', { claims: { sub: 'x', ref: 'main' } }, { sub: 'x', ref: 'dev' }, 'ref'],
    ['none', { claims: { sub: 'x' } }, {}, 'sub'],
    ['a list with it', { claims: { groups: 'ops' } }, { groups: ['ops'] }, 'groups'],
    ['a number', { claims: { id: '1' } }, { id: 1 }, 'id'],
    ['a nested one', { claims: { 'kubernetes.io': 'x' } }, { 'kubernetes.io': { toString: 'x' } }, 'kubernetes.io'],
    ['an inherited one', { claims: { constructor: 'x' } }, {}, 'constructor'],
  ])('%s', (_what, trust, payload, unmatched) => expect(unmatchedClaim(trust, { ...payload })).toBe(unmatched));

  test.each<[aud: unknown, holds: boolean]>([
    ['a', true],
    [['a'], true],
    [['a', 'b'], false],
    [['b', 'a'], false],
    [[['a']], false],
    [[], false],
    ['A', false],
    [undefined, false],
    [{ 0: 'a', length: 1 }, false],
  ])('the audience %j', (aud, holds) => expect(isFor({ audience: 'a' }, aud)).toBe(holds));
});
