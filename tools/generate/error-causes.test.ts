import { expect, test } from '@jest/globals';
import { definedErrors } from '@tessera/kernel/errors';
import '../../services/gateway/src/graphql/bounds.ts';
import '../../kernel/src/quota/request-quota.ts';
import '../../services/identity/src/apps/errors.ts';
import '../../services/identity/src/oauth/errors.ts';
import '../../services/identity/src/people/errors.ts';
import '../../services/identity/src/sign-in/errors.ts';
import '../../services/keys/src/errors.ts';
import '../../services/rbac/src/errors.ts';
import '../../services/tenancy/src/errors.ts';
import { errorCauses } from './error-causes.ts';

test('every error of the catalogue has a cause and a remedy for docs/errors.md, and there are no others', () => {
  expect(Object.keys(errorCauses).sort()).toStrictEqual([...definedErrors().keys()].sort());
  for (const [key, texts] of Object.entries(errorCauses))
    expect([key, texts.some((text) => text.trim() === '')]).toStrictEqual([key, false]);
});
