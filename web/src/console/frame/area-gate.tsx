import { Outlet, useLocation } from '@tanstack/react-router';
import { useMe } from '../base/me.tsx';
import { useRights } from '../base/rights.ts';
import { pathOf, usePlace } from '../base/scope.ts';
import { Missing, NotAllowed, Opening, Retry } from '../base/states.tsx';
import { areasOf } from './areas.ts';

/** Shows a screen to those who may see it. The server decides anew about every request. */
export function AreaGate() {
  const place = usePlace();
  const rights = useRights();
  const { pathname } = useLocation();
  if (place === undefined) return <Missing />;
  if (rights.isPending) return <Opening />;
  if (rights.error) return <Retry error={rights.error} again={() => window.location.reload()} />;
  const [path = ''] = pathname.slice(pathOf(place).length + 1).split('/');
  const area = areasOf(place).find((one) => one.path === path);
  if (area === undefined) return <Missing />;
  if (area.needs !== undefined && !rights.may(area.needs)) return <NotAllowed />;
  return <Outlet />;
}

/** For all others these screens do not exist. */
export function PlatformGate() {
  return useMe().isPlatformAdministrator ? <Outlet /> : <Missing />;
}
