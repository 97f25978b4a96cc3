/** Every screen of the console, as the console itself lists them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryFolder } from '../../../tools/stack/repository.ts';
import type { ScopeValue } from '../client.ts';
import { pathOf, type Team } from './start.ts';

export type Screen = { readonly name: string; readonly path: string };
type Kind = 'account' | 'organization' | 'project';

/** Read as text: the list imports the screens, which run in a browser only. */
const [listed = '', ownListed = '', platformListed = ''] = readFileSync(
  join(repositoryFolder, 'web/src/console/frame/areas.ts'),
  'utf8',
).split(/export const (?:ownAreas|platformAreas)/);
const areas = [...listed.matchAll(/path: '([\w-]*)',\s+label: '\w+',\s+icon: '\w+',\s+kinds: ([^\]\n]+)/g)].map(
  ([, path = '', kinds = '']) => ({ path, kinds: kinds.replace('...inside', 'inside').replace('inside', "'organization', 'project'") }),
);
const pathsIn = (text: string) => [...text.matchAll(/path: '([\w-]*)'/g)].map(([, path = '']) => path);
const ownAreas = pathsIn(ownListed);

/** The screens of platform administrators. */
export function platformScreens(tenantId: string): Screen[] {
  const paths = [...pathsIn(platformListed), `tenants/${tenantId}`];
  if (paths.length < 3) throw new Error('areas.ts lists no screens of the platform, or is written otherwise');
  return paths.map((path) => ({ name: `platform-${path.replace(tenantId, 'one').replace('/', '-')}`, path: `/console/platform/${path}` }));
}

/** The screens of a place. */
export function screensOf(kind: Kind, place: ScopeValue): Screen[] {
  const own = areas.filter(({ kinds }) => kinds.includes(`'${kind}'`));
  if (own.length < 3) throw new Error(`areas.ts lists only ${own.length} screens of ${kind}, or is written otherwise`);
  return own.map(({ path }) => ({ name: `${kind}-${path || 'overview'}`, path: pathOf(place, path) }));
}

/** All screens that an Owner can open. */
export function allScreens({ owner, organization, project }: Team): Screen[] {
  return [
    { name: 'home', path: '/console' },
    { name: 'first-steps', path: '/console/first-steps' },
    ...ownAreas.map((path) => ({ name: `me-${path || 'profile'}`, path: path === '' ? '/console/me' : `/console/me/${path}` })),
    ...screensOf('account', owner.account),
    ...screensOf('organization', organization),
    ...screensOf('project', project),
  ];
}
