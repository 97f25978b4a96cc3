import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../parts/form.ts';
import { tessera } from '../../../session/tessera.ts';
import { useTell } from '../../base/tell.tsx';
import { useTexts } from '../../base/words.ts';
import { type Outcome, runEach, stopForAnother } from './run.ts';

export type Thing = { readonly id: string; readonly name: string };
type State<One> = {
  readonly things: readonly One[];
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly isRunning: boolean;
  readonly isStopping: boolean;
  readonly waitsUntil?: Date | undefined;
};
export type Run<One extends Thing = Thing> = State<One> & {
  readonly start: (things: readonly One[]) => void;
  readonly stop: () => void;
  /** Sends those that were refused or not sent; no other. */
  readonly again: () => void;
};
type RunOptions<One> = {
  readonly send: (thing: One) => Promise<Outcome>;
  /** After each: what is not done yet. */
  readonly left?: (things: readonly One[]) => void;
};

const nothing = { things: [], outcomes: new Map<string, Outcome>(), isRunning: false, isStopping: false };

export function isOpen(outcome: Outcome | undefined): boolean {
  return outcome === undefined || outcome.kind === 'refused' || outcome.kind === 'unsent';
}

/** Requests for many things, one after the other. What leaves the page stops it. */
export function useRun<One extends Thing>({ send, left }: RunOptions<One>): Run<One> {
  const { t } = useTexts();
  const tell = useTell();
  const queries = useQueryClient();
  const [state, setState] = useState<State<One>>(nothing);
  /** Also keeps a second click from sending everything twice. */
  const current = useRef<{ readonly stop: AbortController; readonly leave: () => void }>(undefined);

  useEffect(() => () => current.current?.leave(), []);
  useEffect(() => {
    if (!state.isRunning) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [state.isRunning]);

  async function go(things: readonly One[], all: readonly One[], before: ReadonlyMap<string, Outcome>): Promise<void> {
    if (current.current !== undefined || things.length === 0) return;
    const outcomes = new Map(before);
    for (const { id } of things) outcomes.delete(id);
    const stop = new AbortController();
    const leave = () => {
      stop.abort();
      tell(t('stoppedAt', { done: String(all.filter(({ id }) => !isOpen(outcomes.get(id))).length), all: String(all.length) }), 'failed');
    };
    const unfollow = stopForAnother(tessera.session, stop);
    current.current = { stop, leave };
    setState({ things: all, outcomes: new Map(outcomes), isRunning: true, isStopping: false });
    await runEach(things, {
      send,
      textOf: messageOf,
      signal: stop.signal,
      report: ({ id }, outcome) => {
        outcomes.set(id, outcome);
        setState((now) => ({ ...now, outcomes: new Map(outcomes) }));
        left?.(all.filter((one) => isOpen(outcomes.get(one.id))));
      },
      wait: (waitsUntil) => setState((now) => ({ ...now, waitsUntil })),
    });
    unfollow();
    current.current = undefined;
    setState({ things: all, outcomes, isRunning: false, isStopping: false });
    await queries.invalidateQueries({ queryKey: ['console'] });
  }

  return {
    ...state,
    start: (things) => void go(things, things, new Map()),
    stop: () => {
      current.current?.stop.abort();
      setState((now) => ({ ...now, isStopping: now.isRunning }));
    },
    again: () =>
      void go(
        state.things.filter(({ id }) => isOpen(state.outcomes.get(id))),
        state.things,
        state.outcomes,
      ),
  };
}
