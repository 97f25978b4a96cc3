import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import { AreaGate, PlatformGate } from './area-gate.tsx';
import { areas, ownAreas, pathOfPlatform, platformAreas } from './areas.ts';
import { startRights } from './rights.ts';
import { placeOf, scopeOf } from './scope.ts';
import { Shell } from './shell.tsx';
import { Fault, Missing, Opening } from './states.tsx';

/** Everything in the address is text. */
const readText = (value: string) => value;
const writeText = (value: unknown) => String(value);

const root = createRootRoute({
  validateSearch: (search: Record<string, unknown>): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(search).flatMap(([name, value]) => (typeof value === 'string' ? [[name, value]] : []))),
  component: Shell,
  notFoundComponent: Missing,
  errorComponent: Fault,
});

const home = createRoute({
  getParentRoute: () => root,
  path: '/console',
  component: lazyRouteComponent(() => import('../screens/home.tsx'), 'Screen'),
});

const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/console/first-steps',
  component: lazyRouteComponent(() => import('../screens/first-run.tsx'), 'Screen'),
});

const own = createRoute({ getParentRoute: () => root, path: '/console/me' });
own.addChildren(
  ownAreas.map(({ path, load }) =>
    createRoute({ getParentRoute: () => own, path: path === '' ? '/' : path, component: lazyRouteComponent(load, 'Screen') }),
  ),
);

const platform = createRoute({ getParentRoute: () => root, path: '/console/platform', component: PlatformGate });
platform.addChildren([
  ...platformAreas.map(({ path, load }) =>
    createRoute({ getParentRoute: () => platform, path, component: lazyRouteComponent(load, 'Screen') }),
  ),
  createRoute({
    ...{ getParentRoute: () => platform, path: '/' },
    component: () => <Navigate to={pathOfPlatform('tenants')} replace />,
  }),
  createRoute({
    getParentRoute: () => platform,
    path: 'tenants/$tenantId',
    component: lazyRouteComponent(() => import('../screens/platform/tenant.tsx'), 'Screen'),
  }),
]);

/** Every area below an account or organization, and below a project. */
const places = ['/console/$kind/$parentId', '/console/$kind/$parentId/prj/$projectId'].map((prefix) => {
  const isProject = prefix.endsWith('$projectId');
  const place = createRoute({
    ...{ getParentRoute: () => root, path: prefix, component: AreaGate },
    loader: ({ params }) => {
      const here = placeOf(params);
      if (here !== undefined) startRights(scopeOf(here));
    },
  });
  const own = areas.filter(({ kinds }) => (isProject ? kinds.includes('project') : kinds.some((kind) => kind !== 'project')));
  const role = createRoute({
    getParentRoute: () => place,
    path: 'roles/$roleId',
    component: lazyRouteComponent(() => import('../screens/role.tsx'), 'Screen'),
  });
  const app = createRoute({
    getParentRoute: () => place,
    path: 'apps/$appId',
    component: lazyRouteComponent(() => import('../screens/app.tsx'), 'Screen'),
  });
  const webhook = createRoute({
    getParentRoute: () => place,
    path: 'webhooks/$webhookId',
    component: lazyRouteComponent(() => import('../screens/webhook.tsx'), 'Screen'),
  });
  const screens = own.map(({ path, load }) =>
    createRoute({ getParentRoute: () => place, path: path === '' ? '/' : path, component: lazyRouteComponent(load, 'Screen') }),
  );
  return place.addChildren([...screens, role, webhook, ...(isProject ? [app] : [])]);
});

export const router = createRouter({
  routeTree: root.addChildren([home, firstRun, own, platform, ...places]),
  parseSearch: parseSearchWith(readText),
  stringifySearch: stringifySearchWith(writeText),
  defaultPreload: 'intent',
  defaultPendingComponent: Opening,
  defaultErrorComponent: Fault,
  scrollRestoration: true,
});
