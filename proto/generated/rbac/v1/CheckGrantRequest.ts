// Original file: rbac/v1/service.proto

import type { Subject__Input as _rbac_v1_Subject__Input, Subject as _rbac_v1_Subject } from '../../rbac/v1/Subject.ts';
import type { Scope__Input as _rbac_v1_Scope__Input, Scope as _rbac_v1_Scope } from '../../rbac/v1/Scope.ts';

export interface CheckGrantRequest__Input {
  'actor'?: (_rbac_v1_Subject__Input | null);
  'scope'?: (_rbac_v1_Scope__Input | null);
  'roleIds'?: (string)[];
  /**
   * user: only roles of this scope itself; the role Provisioning of directories is refused (400). key: in a project also its parent's roles, up to the actor's own rank.
   * serviceAccount: as user, and the roles that only machines hold; never Owner nor the role of an account's owner.
   * Empty: user in an organization, key in a project.
   */
  'givenTo'?: (string);
}

export interface CheckGrantRequest {
  'actor': (_rbac_v1_Subject | null);
  'scope': (_rbac_v1_Scope | null);
  'roleIds': (string)[];
  /**
   * user: only roles of this scope itself; the role Provisioning of directories is refused (400). key: in a project also its parent's roles, up to the actor's own rank.
   * serviceAccount: as user, and the roles that only machines hold; never Owner nor the role of an account's owner.
   * Empty: user in an organization, key in a project.
   */
  'givenTo': (string);
}
