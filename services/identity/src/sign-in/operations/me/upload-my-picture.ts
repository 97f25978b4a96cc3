import { failures } from '@tessera/kernel/errors';
import { callerOf, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { keepPicture, Picture, PictureFile, pictureExample, pictureLimitBytes, showPicture } from '../../../people/operations/pictures.ts';
import { setPicture } from '../../../people/storage/people.ts';
import { operation } from '../../deps.ts';

export const uploadMyPicture = operation({
  name: 'uploadMyPicture',
  summary: 'Set one’s picture; it is decoded and written anew, without metadata',
  kind: 'mutation',
  input: strict({ ...PictureFile }),
  output: Type.Object({ ...Picture }),
  access: { signedIn: 'sets the caller’s own picture' },
  scopes: 'none',
  verification: 'account-settings',
  errors: [],
  audit: 'user.picture-uploaded',
  events: [],
  leaves: 'nothing',
  rest: { method: 'POST', path: '/api/me/picture', status: 201, bodyLimitBytes: pictureLimitBytes },
  graphql: { field: 'uploadMyUserPicture', type: 'PictureResult' },
  example: { input: pictureExample },

  prepare: ({ file }, context) => keepPicture(context.deps, callerOf(context).userId, file),

  async handle(_input, context, path) {
    const { tx, deps, now, audit } = context;
    const { userId } = callerOf(context);
    if (!(await setPicture(tx, userId, path, now))) throw failures.unauthenticated();
    audit({ targetType: 'User', targetId: userId });
    return showPicture(deps, path);
  },
});
