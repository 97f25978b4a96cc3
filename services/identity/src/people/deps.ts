import type { Authorizer } from '@tessera/kernel/authorization';
import { defineOperation } from '@tessera/kernel/operation';
import type { GroundDeps } from '../ground/deps.ts';
import type { AuthenticationMethod } from '../ground/domain/people.ts';
import type { Faces } from '../mail/faces.ts';
import type { InvitationTokens } from '../mail/invitation-tokens.ts';
import type { Mailer } from './mailer.ts';
import type { BreachedPasswords } from './passwords/breached.ts';
import type { PasswordHasher } from './passwords/password-hasher.ts';
import type { PictureStore } from './pictures/picture-store.ts';

export type PeopleDeps = GroundDeps & {
  /** A person's methods, oldest first. Calls at the same moment share one statement. */
  readonly methodsOf: (userId: string) => Promise<readonly AuthenticationMethod[]>;
  readonly hasher: PasswordHasher;
  readonly breachedPasswords: Pick<BreachedPasswords, 'has'>;
  readonly mailer: Mailer;
  readonly invitationTokens: InvitationTokens;
  readonly pictures: PictureStore;
  readonly faces: Faces;
  readonly authorizer: Authorizer;
};

export const operation = defineOperation<PeopleDeps>();
