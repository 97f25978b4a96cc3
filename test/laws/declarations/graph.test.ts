/** The graph has every field of the specification. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { buildASTSchema, parse } from 'graphql';

function supergraph() {
  return buildASTSchema(parse(readFileSync(new URL('../../../services/gateway/generated/supergraph.graphql', import.meta.url), 'utf8')), {
    assumeValid: true,
  });
}

describe('the fields of the graph [spec:graphql.1]', () => {
  const queries =
    'me isAuthorized organizations organizationMembers organizationInvitations invitation projects roles groups permissions resources users apiKeys signingKeys tags projectApps myUserSessions myUserAuthenticationMethods myUserDataExport';
  const crud = (names: string) => names.split(' ').flatMap((name) => [`create${name}`, `update${name}`, `delete${name}`]);
  const mutations = [
    ...'login register refreshSession verifyEmail resendVerification requestPasswordReset resetPassword logoutMyUser updateMyUser changeMyPassword uploadMyUserPicture'.split(
      ' ',
    ),
    ...'createMyUserAuthenticationMethod setMyPrimaryAuthenticationMethod deleteMyUserAuthenticationMethod revokeMyUserSession createMySecondaryAccount deleteMyAccounts'.split(
      ' ',
    ),
    ...'uploadUserPicture inviteMember acceptInvitation resendInvitationEmail renewInvitation revokeInvitation updateOrganizationMember removeOrganizationMember'.split(
      ' ',
    ),
    ...'createApiKey revokeApiKey deleteApiKey exchangeApiKey rotateSigningKey'.split(' '),
    ...crud('User ProjectApp Organization Project Role Group Permission Resource Tag'),
  ];
  test('all 19 queries [spec:graphql.3 spec:graphql.4]', () => {
    const fields = Object.keys(supergraph().getQueryType()?.getFields() ?? {});
    expect(queries.split(' ')).toHaveLength(19);
    for (const name of queries.split(' ')) expect(fields.includes(name)).toStrictEqualFor(name, true);
  });
  test('at least 56 mutations, every one that is named', () => {
    const fields = Object.keys(supergraph().getMutationType()?.getFields() ?? {});
    for (const name of mutations) expect(fields.includes(name)).toStrictEqualFor(name, true);
    expect(fields.length >= 56).toStrictEqualFor(String(fields.length), true);
  });
});
