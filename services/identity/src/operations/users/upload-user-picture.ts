import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../dependencies.ts';
import { setPicture } from '../../storage/people.ts';
import { keepPicture, Picture, PictureFile, pictureLimitBytes, showPicture } from '../pictures.ts';
import { peopleScopes, targetOf } from '../scoped-people.ts';

export const uploadUserPicture = operation({
  name: 'uploadUserPicture',
  summary: 'Set the picture of a person of a scope',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, ...PictureFile }),
  output: Type.Object({ ...Picture }),
  access: { permission: 'User:UploadPicture', target: targetOf },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'user.picture-uploaded',
  events: [],
  rest: { method: 'POST', path: '/api/users/:id/picture', status: 201, bodyLimitBytes: pictureLimitBytes },
  graphql: { field: 'uploadUserPicture' },

  prepare: ({ id, file }, { deps }) => keepPicture(deps, id, file),

  async handle({ id }, { tx, deps, now, audit }, path) {
    if (!(await setPicture(tx, id, path, now))) throw failures.notFound('User');
    audit({ targetType: 'User', targetId: id });
    return showPicture(deps, path);
  },
});
