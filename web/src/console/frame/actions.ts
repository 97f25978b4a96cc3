import { type Place, pathOf } from '../base/scope.ts';
import type { Key } from '../base/words.ts';
import { areasOf } from './areas.ts';

type Action = { readonly label: Key; readonly to: string };

/** What the screens of areas make, by the address of their form. */
const made: readonly { readonly area: string; readonly label: Key; readonly needs: string; readonly does?: string }[] = [
  { area: 'members', label: 'invite', needs: 'OrganizationInvitation:Create', does: 'invite' },
  { area: 'projects', label: 'newProjectButton', needs: 'Project:Create' },
  { area: 'people', label: 'newPerson', needs: 'User:Create' },
  { area: 'customers', label: 'newCustomer', needs: 'ProjectGrant:Create' },
  { area: 'resources', label: 'newResource', needs: 'Resource:Create' },
  { area: 'domains', label: 'addDomain', needs: 'Domain:Create' },
  { area: 'connections', label: 'newConnection', needs: 'Connection:Create' },
  { area: 'service-accounts', label: 'newServiceAccount', needs: 'ServiceAccount:Create' },
  { area: 'roles', label: 'newRole', needs: 'Role:Create' },
  { area: 'groups', label: 'newGroup', needs: 'Group:Create' },
  { area: 'permissions', label: 'newPermission', needs: 'Permission:Create' },
  { area: 'keys', label: 'newKey', needs: 'ApiKey:Create' },
  { area: 'apps', label: 'newApp', needs: 'ProjectApp:Create' },
  { area: 'tags', label: 'newTag', needs: 'Tag:Create' },
  { area: 'webhooks', label: 'newWebhook', needs: 'Webhook:Create' },
];

/** What the person may make in this place. */
export function actionsIn(place: Place, may: (permission: string) => boolean): readonly Action[] {
  const areas = new Map(areasOf(place).map((area) => [area.path, area]));
  return made.flatMap(({ area: path, label, needs, does = 'create' }) => {
    const area = areas.get(path);
    const isOpen = area !== undefined && may(needs) && (area.needs === undefined || may(area.needs));
    return isOpen ? [{ label, to: `${pathOf(place, path)}?do=${does}` }] : [];
  });
}
