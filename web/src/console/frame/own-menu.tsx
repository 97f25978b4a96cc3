import { Button, Popover } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { Choices } from '../../look/choices.tsx';
import { Problem } from '../../look/page.tsx';
import { Icon } from '../base/icon.tsx';
import { useMe } from '../base/me.tsx';
import { useTexts } from '../base/words.ts';
import { Initials } from '../parts/person/initials.tsx';
import { AskWhatEnds, type SignOut, useSignOut } from './sign-out.tsx';

/** What belongs to the person and not to the place. At the foot, so it stays in view. */
export function OwnMenu({ signOut }: { readonly signOut: SignOut }) {
  const { t } = useTexts();
  const { user, email } = useMe();
  const [isOpen, menu] = useDisclosure();
  const leaving = useSignOut(signOut);
  const leave = () => {
    menu.close();
    void leaving.leave();
  };
  return (
    <div className="navigation-end">
      {leaving.problem === undefined ? null : <Problem>{leaving.problem}</Problem>}
      <Popover
        opened={isOpen}
        onChange={menu.set}
        position="top"
        width="target"
        offset={12}
        shadow="md"
        withinPortal={false}
        transitionProps={{ duration: 0 }}
        trapFocus
        returnFocus
      >
        <Popover.Target>
          <button type="button" className="who" onClick={menu.toggle} aria-busy={leaving.isPending}>
            <Initials name={user.name} />
            <span>
              <span className="unseen">{t('ownAccount')}</span>
              <strong>{user.name}</strong>
              <small>{email}</small>
            </span>
            <Icon name="chevrons" />
          </button>
        </Popover.Target>
        <Popover.Dropdown aria-label={t('ownAccount')} className="own-menu">
          <Link to="/console/me" className="navigation-item" activeOptions={{ exact: true }} onClick={menu.close}>
            <Icon name="person" />
            <span>{t('profile')}</span>
          </Link>
          <Choices />
          <Button variant="default" fullWidth onClick={leave}>
            {t('signOut')}
          </Button>
        </Popover.Dropdown>
      </Popover>
      {leaving.granted === 0 ? null : <AskWhatEnds granted={leaving.granted} signOut={signOut} close={leaving.stay} />}
    </div>
  );
}
