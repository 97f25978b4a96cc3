import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  parseSearchWith,
  stringifySearchWith,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { loadOf } from '../base/load.ts';
import { startRights } from '../base/rights.ts';
import { pathOfPlatform, placeOf, scopeOf } from '../base/scope.ts';
import { Fault, Missing, Opening } from '../base/states.tsx';
import { AreaGate, PlatformGate } from './area-gate.tsx';
import { areasBelow, ownAreas, platformAreas } from './areas.ts';
import { Shell } from './shell.tsx';

/** Everything in the address is text. */
const readText = (value: string) => value;
const writeText = (value: unknown) => String(value);

function screenOf(load: () => Promise<{ readonly Screen: ComponentType }>) {
  return lazyRouteComponent(loadOf(load), 'Screen');
}

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
  component: screenOf(() => import('../screens/home.tsx')),
});

const firstRun = createRoute({
  getParentRoute: () => root,
  path: '/console/first-steps',
  component: screenOf(() => import('../screens/first-run/first-run.tsx')),
});

const own = createRoute({ getParentRoute: () => root, path: '/console/me' });
own.addChildren(
  ownAreas.map(({ path, load }) => createRoute({ getParentRoute: () => own, path: path === '' ? '/' : path, component: screenOf(load) })),
);

const platform = createRoute({ getParentRoute: () => root, path: '/console/platform', component: PlatformGate });
platform.addChildren([
  ...platformAreas.map(({ path, load }) => createRoute({ getParentRoute: () => platform, path, component: screenOf(load) })),
  createRoute({
    getParentRoute: () => platform,
    path: '/',
    component: () => <Navigate to={pathOfPlatform('tenants')} replace />,
  }),
  createRoute({
    getParentRoute: () => platform,
    path: 'tenants/$tenantId',
    component: screenOf(() => import('../screens/platform/tenant.tsx')),
  }),
  createRoute({
    getParentRoute: () => platform,
    path: 'people/$userId',
    component: screenOf(() => import('../screens/platform/person.tsx')),
  }),
  createRoute({
    getParentRoute: () => platform,
    path: 'service-accounts/$accountId',
    component: screenOf(() => import('../screens/service-accounts/service-account.tsx')),
  }),
]);

/** Every area below an account or organization, and below a project. */
const places = ['/console/$kind/$parentId', '/console/$kind/$parentId/prj/$projectId'].map((prefix) => {
  const isProject = prefix.endsWith('$projectId');
  const place = createRoute({
    getParentRoute: () => root,
    path: prefix,
    component: AreaGate,
    loader: ({ params }) => {
      const here = placeOf(params);
      if (here !== undefined) startRights(scopeOf(here));
    },
  });
  const role = createRoute({
    getParentRoute: () => place,
    path: 'roles/$roleId',
    component: screenOf(() => import('../screens/role/role.tsx')),
  });
  const app = createRoute({
    getParentRoute: () => place,
    path: 'apps/$appId',
    component: screenOf(() => import('../screens/app/app.tsx')),
  });
  const webhook = createRoute({
    getParentRoute: () => place,
    path: 'webhooks/$webhookId',
    component: screenOf(() => import('../screens/webhooks/webhook.tsx')),
  });
  const grant = isProject
    ? createRoute({
        getParentRoute: () => place,
        path: 'customers/$grantId',
        component: screenOf(() => import('../screens/grants/customer.tsx')),
      })
    : createRoute({
        getParentRoute: () => place,
        path: 'applications/$grantId',
        component: screenOf(() => import('../screens/grants/application.tsx')),
      });
  const member = createRoute({
    getParentRoute: () => place,
    path: 'members/$userId',
    component: screenOf(() => import('../screens/member/member.tsx')),
  });
  const serviceAccount = createRoute({
    getParentRoute: () => place,
    path: 'service-accounts/$accountId',
    component: screenOf(() => import('../screens/service-accounts/service-account.tsx')),
  });
  const connection = createRoute({
    getParentRoute: () => place,
    path: 'connections/$connectionId',
    component: screenOf(() => import('../screens/connections/page.tsx')),
  });
  const screens = areasBelow(isProject).map(({ path, load }) =>
    createRoute({ getParentRoute: () => place, path: path === '' ? '/' : path, component: screenOf(load) }),
  );
  return place.addChildren([...screens, role, webhook, grant, ...(isProject ? [app] : [serviceAccount, member, connection])]);
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
