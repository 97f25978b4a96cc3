import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useEffect, useId, useState } from 'react';
import { Problem } from '../../look/page.tsx';
import { messageOf } from '../../parts/form.ts';
import { Icon } from '../base/icon.tsx';
import { useMe } from '../base/me.tsx';
import { Modal } from '../base/modal.tsx';
import { useRights } from '../base/rights.ts';
import { pathOf, pathOfPlatform, usePlace } from '../base/scope.ts';
import { useTexts } from '../base/words.ts';
import { actionsIn } from './actions.ts';
import { areasOf, platformAreas } from './areas.ts';
import { find, type Hit } from './find.ts';

const pauseMs = 250;

/** Ctrl-K: every account, organization and project, the areas of this place, what is in it, and what can be made. */
export function Finder({ close }: { readonly close: () => void }) {
  const { t } = useTexts();
  const me = useMe();
  const place = usePlace();
  const { may } = useRights();
  const navigate = useNavigate();
  const list = useId();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), pauseMs);
  const [active, setActive] = useState(0);
  const { data, error, isPending } = useQuery({
    queryKey: ['console', 'find', place, search],
    queryFn: () => find(me, place, search, may),
    placeholderData: keepPreviousData,
  });
  const screens =
    place === undefined
      ? []
      : areasOf(place).flatMap(({ path, label, icon, needs }): Hit[] => {
          const isHere = needs === undefined || may(needs);
          return isHere ? [{ id: path, name: t(label), icon, kind: 'screen', to: pathOf(place, path) }] : [];
        });
  const ofPlatform = platformAreas.map(({ path, label, icon }): Hit => {
    const name = `${t('platform')}: ${t(label)}`;
    return { id: `platform ${path}`, name, icon, kind: 'screen', to: pathOfPlatform(path) };
  });
  const accounts = me.accounts.map(({ id, type }): Hit => {
    const name = t(type === 'personal' ? 'personalAccount' : 'organizationAccount');
    return { id, name, icon: 'person', kind: 'account', to: `/console/acc/${id}` };
  });
  const actions =
    place === undefined
      ? []
      : actionsIn(place, may).map(({ label, to }): Hit => ({ id: to, name: t(label), icon: 'plus', kind: 'action', to }));
  const words = search.toLowerCase().split(/\s+/);
  const isMatch = ({ name, kind }: Hit) => {
    // "Create a role" is "New role".
    const text = `${name} ${kind === 'action' ? t('create') : ''}`.toLowerCase();
    return words.every((word) => text.includes(word));
  };
  const reachable = me.isPlatformAdministrator ? [...screens, ...ofPlatform] : screens;
  const hits = [...(search === '' ? [] : [...reachable, ...actions].filter(isMatch)), ...(data ?? []), ...accounts.filter(isMatch)];

  // In braces: newer browsers return a promise, which React would call as the end of the effect.
  useEffect(() => {
    document.getElementById(`${list}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [list, active]);

  const go = (to: string) => {
    close();
    void navigate({ to });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setActive((active + step + hits.length) % Math.max(hits.length, 1));
    }
    const chosen = hits[active];
    if (event.key === 'Enter' && chosen !== undefined) go(chosen.to);
  };
  return (
    <Modal opened onClose={close} title={t('goTo')} closeButtonProps={{ 'aria-label': t('close') }} yOffset="10dvh">
      <TextInput
        data-autofocus
        aria-label={t('findLabel')}
        placeholder={t('findLabel')}
        leftSection={<Icon name="search" />}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          setActive(0);
        }}
        onKeyDown={onKeyDown}
        role="combobox"
        aria-expanded
        aria-controls={list}
        aria-activedescendant={hits[active] === undefined ? undefined : `${list}-${active}`}
      />
      {error ? <Problem>{messageOf(error)}</Problem> : null}
      <div className="hits" id={list} role="listbox" aria-label={t('goTo')}>
        {hits.map(({ id, name, note, icon, kind, to }, index) => (
          <a
            key={kind + id}
            id={`${list}-${index}`}
            role="option"
            aria-selected={index === active}
            tabIndex={-1}
            href={to}
            onMouseMove={() => setActive(index)}
            onClick={(event) => {
              event.preventDefault();
              go(to);
            }}
          >
            <Icon name={icon} />
            <span className="wrap">{note === undefined ? name : `${name} (${note})`}</span>
            <small>{t(kind)}</small>
          </a>
        ))}
      </div>
      {!isPending && hits.length === 0 ? <p className="nothing">{t('nothingFound')}</p> : null}
    </Modal>
  );
}
