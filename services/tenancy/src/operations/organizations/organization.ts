import { entityFields, Metadata, Name, strict } from '@tessera/kernel/operation';
import Type from 'typebox';
import { projectsIn } from '../projects/project.ts';
import { withPrimaryTags } from '../projects/tags.ts';
import { groupsIn, organizationScope, rolesIn, usersIn } from '../related.ts';

export const OrganizationSchema = strict(
  {
    ...entityFields,
    name: Name,
    slug: Type.String({ description: 'Derived from the first name, unique; does not change with the name' }),
    metadata: Metadata,
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
