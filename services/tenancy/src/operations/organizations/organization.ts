import { entityFields, Metadata, Name, Nullable, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { projectsIn } from '../projects/project.ts';
import { withPrimaryTags } from '../projects/tags.ts';
import { groupsIn, organizationScope, rolesIn, usersIn } from '../related.ts';

export const securityFields = {
  requireSecondFactor: Type.Boolean({ description: 'Sessions here and in the projects must be aal2' }),
  maxSessionAgeMinutes: Nullable(Type.Integer({ minimum: 5, maximum: 525_600, description: 'How old a proof of a session may be' })),
  allowEmailCode: Type.Boolean({ description: 'Whether people may sign in to its apps by a code that is mailed to them' }),
};

export const OrganizationSchema = strict(
  {
    ...entityFields,
    name: Name,
    slug: Type.String({ description: 'Derived from the first name, unique; does not change with the name' }),
    metadata: Metadata,
    security: Type.Object(securityFields),
  },
  { description: 'People who work together' },
);

export const organizationRelationNames = ['users', 'projects', 'roles', 'groups'] as const;

export const organizationRelations = {
  users: usersIn('organization', 'User:Query', organizationScope),
  projects: withPrimaryTags(projectsIn('organization')),
  roles: rolesIn(organizationScope),
  groups: groupsIn(organizationScope),
};
