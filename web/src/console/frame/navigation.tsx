import { Link } from '@tanstack/react-router';
import { Choices } from '../../look/choices.tsx';
import { Logo } from '../../look/page.tsx';
import { Icon, type IconName } from '../base/icon.tsx';
import { useMe } from '../base/me.tsx';
import { usePlaceName } from '../base/place-name.ts';
import { useRights } from '../base/rights.ts';
import { pathOf, pathOfPlatform, usePlace } from '../base/scope.ts';
import { useTexts } from '../base/words.ts';
import { areasOf, ownAreas, platformAreas } from './areas.ts';
import { type SignOut, SignOutButton } from './sign-out.tsx';

const isApple = /Mac|iPhone|iPad/.test(navigator.userAgent);

type NavigationProps = { readonly find: () => void; readonly signOut: SignOut };

export function Navigation({ find, signOut }: NavigationProps) {
  const { t } = useTexts();
  const { user, email } = useMe();
  return (
    <div className="navigation">
      <Link to="/console" className="brand" activeOptions={{ exact: true }}>
        <Logo />
      </Link>
      <Switcher find={find} />
      <nav aria-label={t('areas')}>
        <PlaceAreas />
      </nav>
      <div className="navigation-end">
        <Link to="/console/me" className="who" activeOptions={{ exact: true }}>
          <span className="face" aria-hidden="true">
            {user.name.slice(0, 1).toUpperCase()}
          </span>
          <span>
            <strong>{user.name}</strong>
            <small>{email}</small>
          </span>
        </Link>
        <SignOutButton signOut={signOut} />
        <Choices />
      </div>
    </div>
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
  return (
    <ul>
      {place.projectId === undefined ? null : (
        <Item to={pathOf({ ...place, projectId: undefined })} icon="up" label={parent ?? t('organization')} />
      )}
      {shown.map(({ path, label, icon }) => (
        <Item key={path} to={pathOf(place, path)} icon={icon} label={t(label)} isExact={path === ''} />
      ))}
    </ul>
  );
}

function Platform() {
  const { t } = useTexts();
  return (
    <li className="navigation-part">
      <strong>{t('platform')}</strong>
      <ul aria-label={t('platform')}>
        {platformAreas.map(({ path, label, icon }) => (
          <Item key={path} to={pathOfPlatform(path)} icon={icon} label={t(label)} isExact={false} />
        ))}
      </ul>
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
