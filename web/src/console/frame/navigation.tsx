import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { Logo } from '../../look/page.tsx';
import { Icon, type IconName } from '../base/icon.tsx';
import { useMe } from '../base/me.tsx';
import { usePlaceName } from '../base/place-name.ts';
import { useRights } from '../base/rights.ts';
import { pathOf, pathOfPlatform, usePlace } from '../base/scope.ts';
import { useTexts } from '../base/words.ts';
import { areasOf, byGroup, ownAreas, platformAreas } from './areas.ts';
import { OwnMenu } from './own-menu.tsx';
import type { SignOut } from './sign-out.tsx';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

type NavigationProps = { readonly find: () => void; readonly signOut: SignOut };

export function Navigation({ find, signOut }: NavigationProps) {
  return (
    <div className="navigation">
      <Link to="/console" className="brand" activeOptions={{ exact: true }}>
        <Logo />
      </Link>
      <Switcher find={find} />
      <Areas />
      <OwnMenu signOut={signOut} />
    </div>
  );
}

/** A person who comes by a link sees where they are, also when it is far down. */
function Areas() {
  const { t } = useTexts();
  const { pathname } = useLocation();
  const { isPending } = useRights();
  const areas = useRef<HTMLElement>(null);
  useEffect(() => {
    if (pathname !== '' && !isPending) areas.current?.querySelector('.active')?.scrollIntoView({ block: 'nearest' });
  }, [pathname, isPending]);
  return (
    <nav aria-label={t('areas')} ref={areas}>
      <PlaceAreas />
    </nav>
  );
}

/** Where one is; leads to every other place. */
function Switcher({ find }: { readonly find: () => void }) {
  const { t } = useTexts();
  const { parent, project, kind } = usePlaceName();
  return (
    <button type="button" className="switcher" onClick={find}>
      <span className="unseen">{t('switchPlace')}</span>
      <span>
        <small>{project === undefined ? kind : parent}</small>
        <strong>{project ?? parent ?? t('goTo')}</strong>
      </span>
      <kbd>{isApple ? '⌘ K' : 'Ctrl K'}</kbd>
      <Icon name="chevrons" />
    </button>
  );
}

function PlaceAreas() {
  const { t } = useTexts();
  const place = usePlace();
  const { may } = useRights();
  const { parent } = usePlaceName();
  const { isPlatformAdministrator } = useMe();
  if (place === undefined) {
    return (
      <ul>
        <Item to="/console" icon="home" label={t('start')} />
        <Item to="/console/first-steps" icon="check" label={t('firstSteps')} />
        {ownAreas.map(({ path, label, icon }) => (
          <Item key={path} to={path === '' ? '/console/me' : `/console/me/${path}`} icon={icon} label={t(label)} />
        ))}
        {isPlatformAdministrator ? <Platform /> : null}
      </ul>
    );
  }
  const shown = areasOf(place).filter(({ needs }) => needs === undefined || may(needs));
  const items = (areas: typeof shown) =>
    areas.map(({ path, label, icon }) => <Item key={path} to={pathOf(place, path)} icon={icon} label={t(label)} isExact={path === ''} />);
  return (
    <ul>
      {place.projectId === undefined ? null : (
        <Item to={pathOf({ ...place, projectId: undefined })} icon="up" label={parent ?? t('organization')} />
      )}
      {byGroup(shown).map(({ name, areas }) =>
        name === undefined ? (
          items(areas)
        ) : (
          <Part key={name} label={t(`areas_${name}`)}>
            {items(areas)}
          </Part>
        ),
      )}
    </ul>
  );
}

function Platform() {
  const { t } = useTexts();
  return (
    <Part label={t('platform')}>
      {platformAreas.map(({ path, label, icon }) => (
        <Item key={path} to={pathOfPlatform(path)} icon={icon} label={t(label)} isExact={false} />
      ))}
    </Part>
  );
}

/** Areas below a heading, which names their list to screen readers too. */
function Part({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  const heading = useId();
  return (
    <li className="navigation-part">
      <strong id={heading}>{label}</strong>
      <ul aria-labelledby={heading}>{children}</ul>
    </li>
  );
}

type ItemProps = { readonly to: string; readonly icon: IconName; readonly label: string; readonly isExact?: boolean };

function Item({ to, icon, label, isExact = true }: ItemProps) {
  return (
    <li>
      <Link to={to} className="navigation-item" activeOptions={{ exact: isExact, includeSearch: false }}>
        <Icon name={icon} />
        <span>{label}</span>
      </Link>
    </li>
  );
}
