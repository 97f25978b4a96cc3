import { failures } from '@tessera/kernel/errors';
import { callerOf, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { projectOf } from '../api-keys/api-key.ts';
import { projectTenants, SigningKeySchema, toSigningKey } from './signing-key.ts';

export const rotateSigningKey = operation({
  name: 'rotateSigningKey',
  summary: 'Make the published next key of a project the active one; with `compromised`, refuse the old one from now on',
  kind: 'mutation',
  input: strict({
    ...scopeField,
    compromised: Type.Optional(Type.Boolean({ description: 'Also takes the old key out of the JWKS, and refuses its tokens from now on' })),
  }),
  output: SigningKeySchema,
  access: { permission: 'SigningKey:Rotate' },
  scopes: projectTenants,
  verification: 'by-scope',
  isolation: { unscoped: 'signing keys are in no pivot: the scope stands in the key and in every query' },
  errors: ['NOT_FOUND'],
  audit: 'signingKey.rotated',
  events: [],
  leaves: 'nothing',
  changesDocuments: true,
  rest: { method: 'POST', path: '/api/signing-keys/rotate', status: 201 },
  graphql: { field: 'rotateSigningKey', type: 'SigningKey' },
  prepare: async (_input, context) => {
    const scope = projectOf(context);
    if (!(await context.deps.projects.exists(scope))) throw failures.notFound('Project');
    return context.deps.keyring.prepare(scope);
  },
  handle: async ({ compromised = false }, { tx, audit, now, deps, ...context }, prepared) => {
    const actorId = callerOf(context).userId;
    const by = { cause: 'request', actorId, requestId: context.request.id } as const;
    const rotation = await deps.keyring.rotate(tx, projectOf(context), prepared, { ...by, now, isCompromised: compromised });
    const { active, rotated } = rotation;
    const changes = { before: { active: rotated?.kid ?? null }, after: { active: active.kid } };
    audit({ targetType: 'SigningKey', targetId: active.kid, ...changes, detail: { rotatedKid: rotated?.kid ?? null, compromised } });
    return rotation;
  },
  complete: async ({ active, revocations }, { deps }) => {
    deps.keyNotices.publishKeysChanged(active.scope);
    deps.keyNotices.publishRevocations(revocations);
    return toSigningKey(active);
  },
});
