import { failures } from '@tessera/kernel/errors';
import { Id, scopeField, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { operation } from '../../deps.ts';
import { setPicture } from '../../storage/people.ts';
import { keepPicture, Picture, PictureFile, pictureExample, pictureLimitBytes, showPicture } from '../pictures.ts';
import { peopleScopes, targetOf } from '../scoped-people.ts';
import { assertMayChangeProfile } from './profile-owner.ts';

export const uploadUserPicture = operation({
  name: 'uploadUserPicture',
  summary: 'Set the picture of a person who was made in a scope and can not sign in, or one’s own',
  kind: 'mutation',
  input: strict({ ...scopeField, id: Id, ...PictureFile }),
  output: Type.Object({ ...Picture }),
  access: { permission: 'User:UploadPicture', target: targetOf },
  scopes: peopleScopes,
  verification: 'by-scope',
  isolation: { unscoped: 'identity has no pivot tables' },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'SERVICE_UNAVAILABLE'],
  audit: 'user.picture-uploaded',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/users/:id/picture', status: 201, bodyLimitBytes: pictureLimitBytes },
  graphql: { field: 'uploadUserPicture', type: 'PictureResult' },
  example: { input: pictureExample },

  async prepare({ id, file }, context) {
    await assertMayChangeProfile(id, context);
    return keepPicture(context.deps, id, file);
  },

  async handle({ id }, { tx, deps, now, audit }, path) {
    if (!(await setPicture(tx, id, path, now))) throw failures.notFound('User');
    audit({ targetType: 'User', targetId: id });
    return showPicture(deps, path);
  },
});
