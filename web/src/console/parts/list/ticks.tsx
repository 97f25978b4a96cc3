import { Button, Checkbox } from '@mantine/core';
import { useRef, useState } from 'react';
import { useTexts } from '../../base/words.ts';
import type { Action } from './actions.ts';

/** That rows can be chosen, and what can be done with those that are. */
export type Choosing<Item> = {
  readonly nameOf: (item: Item) => string;
  /** What can be done with several; `forget` ends the choice. For one it is as in its menu. */
  readonly actions: (items: readonly Item[], forget: () => void) => readonly Action[];
};
export type Ticks<Item> = {
  readonly items: readonly Item[];
  readonly isTicked: (item: Item) => boolean;
  readonly tick: (items: readonly Item[], isTicked: boolean) => void;
  readonly forget: () => void;
};

const noIds: ReadonlySet<string> = new Set();

/**
 * Which rows are ticked. The ticks end with what is seen (another page, order, search, filter or
 * place), so that no action reaches a row that is out of view.
 */
export function useTicks<Item extends { readonly id: string }>(items: readonly Item[], seen: string): Ticks<Item> {
  const [ticked, setTicked] = useState({ seen, ids: noIds });
  const isOld = ticked.seen !== seen;
  if (isOld) setTicked({ seen, ids: noIds });
  const ids = isOld ? noIds : ticked.ids;
  return {
    items: items.filter(({ id }) => ids.has(id)),
    isTicked: ({ id }) => ids.has(id),
    tick: (some, isTicked) => {
      const changed = new Set(some.map(({ id }) => id));
      const others = [...ids].filter((id) => !changed.has(id));
      setTicked({ seen, ids: new Set(isTicked ? [...others, ...changed] : others) });
    },
    forget: () => setTicked({ seen, ids: noIds }),
  };
}

type BoxProps<Item> = { readonly item: Item; readonly ticks: Ticks<Item>; readonly nameOf: (item: Item) => string };

export function TickBox<Item>({ item, ticks, nameOf }: BoxProps<Item>) {
  const { t } = useTexts();
  return (
    <Checkbox
      size="sm"
      aria-label={t('chooseNamed', { name: nameOf(item) })}
      checked={ticks.isTicked(item)}
      onChange={({ currentTarget }) => ticks.tick([item], currentTarget.checked)}
    />
  );
}

type PageProps<Item> = { readonly items: readonly Item[]; readonly ticks: Ticks<Item> };

export function TickPage<Item>({ items, ticks }: PageProps<Item>) {
  const { t } = useTexts();
  const isAll = ticks.items.length === items.length;
  return (
    <Checkbox
      size="sm"
      aria-label={t('choosePage')}
      checked={isAll}
      indeterminate={!isAll && ticks.items.length > 0}
      onChange={() => ticks.tick(items, !isAll)}
    />
  );
}

type BarProps<Item> = PageProps<Item> & {
  readonly ofOne: ((item: Item) => readonly Action[]) | undefined;
  readonly ofSeveral: Choosing<Item>['actions'];
};

/** Below the rows, and in view at the foot of the window: no row moves when it comes. */
export function TickBar<Item>({ items, ticks, ofOne, ofSeveral }: BarProps<Item>) {
  const { t, count } = useTexts();
  const bar = useRef<HTMLElement>(null);
  const chosen = ticks.items;
  const chooseNone = () => {
    ticks.forget();
    // The button goes; the keyboard goes on from here.
    bar.current?.focus();
  };
  const [first] = chosen;
  const possible = first === undefined ? [] : chosen.length === 1 && ofOne ? ofOne(first) : ofSeveral(chosen, ticks.forget);
  return (
    <section
      ref={bar}
      tabIndex={-1}
      {...(chosen.length === 0 ? {} : { 'aria-label': t('chosenRows'), 'data-is-shown': true })}
      className="tick-bar"
    >
      <span role="status" className={chosen.length === 0 ? 'unseen' : 'chosen-count'}>
        {chosen.length === 0 ? '' : t('chosenCount', { count: count(chosen.length) })}
        {chosen.length > 0 && possible.length === 0 ? `. ${t('nothingInCommon')}` : ''}
      </span>
      {chosen.length === 0 ? null : (
        <>
          {possible.map(({ label, run, isDangerous }) => (
            <Button key={label} size="xs" variant="default" onClick={run} {...(isDangerous ? { className: 'danger' } : {})}>
              {label}
            </Button>
          ))}
          {chosen.length === items.length ? null : (
            <Button size="xs" variant="subtle" className="choose-page" onClick={() => ticks.tick(items, true)}>
              {t('choosePage')}
            </Button>
          )}
          <Button size="xs" variant="subtle" onClick={chooseNone}>
            {t('chooseNone')}
          </Button>
        </>
      )}
    </section>
  );
}
