import { useQueryClient } from '@tanstack/react-query';
import { TesseraError } from '@tessera/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { messageOf } from '../../../parts/form.ts';
import { tab } from '../../../session/tab.ts';
import { type Conflict, conflictOf, type Kept, resolve, restore } from './merge.ts';

type Faults<Values> = { readonly [Name in keyof Values]?: string | undefined };
type Versioned = { readonly updatedAt: string | null; readonly version?: string };
type Edited<Values, Thing> = {
  /** As it was when the form was opened. */
  readonly thing: Thing;
  /** As it is now; undefined when it is gone. */
  readonly read: () => Promise<Thing | undefined>;
  readonly show: (thing: Thing) => Values;
};
type DraftOptions<Values, Thing> = {
  readonly initial: Values;
  /** What the form changes: others may change it at the same time. */
  readonly edits?: Edited<Values, Thing> | undefined;
  /** The names of ids, to show what others have changed. */
  readonly names?: readonly { readonly value: string; readonly label: string }[];
  /** Keeps what was typed in this tab until it is sent, also over a sign-in. Never for secrets. */
  readonly keepAs?: string;
  /** What is wrong before anything is sent. */
  readonly check?: (values: Values) => Faults<Values>;
  /** The server's names of fields that are called otherwise here. */
  readonly serverFields?: Readonly<Record<string, keyof Values & string>>;
  readonly send: (values: Values, call: { readonly ifMatch: Thing | undefined }) => Promise<unknown>;
  readonly done?: () => void;
  /** Sending takes several requests: when one fails, those before it are done. */
  readonly isInParts?: boolean;
};

/**
 * A form of any values that keeps what was typed. Faults stand at their fields; the first gets the
 * focus.
 */
export function useDraft<Values extends object, Thing extends Versioned = never>(options: DraftOptions<Values, Thing>) {
  const { keepAs, check, serverFields = {}, send, done, edits, names = [], isInParts = false } = options;
  const queries = useQueryClient();
  const [thing, setThing] = useState(edits?.thing);
  const initial = edits && thing ? edits.show(thing) : options.initial;
  // What was typed is put on top of what stands now: what others changed meanwhile is not undone.
  const [stored] = useState(() => restore(kept<Values>(keepAs), initial));
  const [restoredAt, setRestoredAt] = useState(stored?.at);
  const [conflict, setConflict] = useState<Conflict<Values> | undefined>(stored?.conflict);
  const [values, setValues] = useState<Values>(stored?.values ?? initial);
  const [faults, setFaults] = useState<Faults<Values>>({});
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);
  /** The failure after which a part may have been saved, until what stands now is read. */
  const halfDone = useRef<unknown>(undefined);

  useEffect(() => {
    if (Object.values(faults).some(Boolean)) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [faults]);

  function place(next: Values, changed: readonly string[]): void {
    setValues(next);
    keep(keepAs, { values: next, before: initial, at: Date.now() });
    setFaults((before) => ({ ...before, ...Object.fromEntries(changed.map((name) => [name, undefined])) }));
  }

  function set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void {
    place({ ...values, [name]: value }, [name]);
  }

  function change(changes: Partial<Values>): void {
    place({ ...values, ...changes }, Object.keys(changes));
  }

  function refuse(error: unknown): void {
    const path = error instanceof TesseraError ? (error.field ?? '') : '';
    const [first = ''] = path.split('.');
    const field =
      serverFields[path] ?? serverFields[first] ?? (Object.hasOwn(values, first) ? (first as keyof Values & string) : undefined);
    if (field === undefined) setProblem(messageOf(error));
    else setFaults({ [field]: messageOf(error) } as Faults<Values>);
  }

  async function submit(wanted: Values, seen: Thing | undefined): Promise<void> {
    if (isSending.current) return;
    const found = check?.(wanted) ?? {};
    setProblem(undefined);
    setFaults(found);
    if (Object.values(found).some(Boolean)) return;
    isSending.current = true;
    setPending(true);
    try {
      const failure = halfDone.current;
      if (await (failure === undefined ? sendVersion(wanted, seen) : sendAnew(wanted, seen, failure))) {
        forget(keepAs);
        // The form stays open: its next change is one of what was just saved.
        if (done === undefined) setThing(await edits?.read());
        await queries.invalidateQueries({ queryKey: ['console'] });
        done?.();
      }
    } catch (error) {
      refuse(error);
      if (isInParts) {
        halfDone.current = error;
        await rebase(wanted, seen, error).catch(() => undefined);
      }
    } finally {
      isSending.current = false;
      setPending(false);
    }
  }

  /** False when another person has changed what the form shows: they decide first. */
  async function sendVersion(wanted: Values, seen: Thing | undefined): Promise<boolean> {
    try {
      await send(wanted, { ifMatch: seen });
      return true;
    } catch (error) {
      if (!(error instanceof TesseraError && error.code === 'PRECONDITION_FAILED')) throw error;
      return sendAnew(wanted, seen, error);
    }
  }

  async function sendAnew(wanted: Values, seen: Thing | undefined, failure: unknown): Promise<boolean> {
    const now = await rebase(wanted, seen, failure);
    // What has changed is not in this form, or is what was typed here too.
    return now !== undefined && sendVersion(wanted, now);
  }

  /** Makes the draft one of what stands now; undefined when the person has to decide first. */
  async function rebase(wanted: Values, seen: Thing | undefined, failure: unknown): Promise<Thing | undefined> {
    const now = seen && (await edits?.read());
    if (edits === undefined || seen === undefined || now === undefined) throw failure;
    halfDone.current = undefined;
    setThing(now);
    keep(keepAs, { values: wanted, before: edits.show(now), at: Date.now() });
    const found = conflictOf(edits.show(seen), edits.show(now), wanted);
    if (found.fields.length === 0) return now;
    setConflict(found);
    return undefined;
  }

  async function settle(choice: 'theirs' | 'mine'): Promise<void> {
    if (conflict === undefined) return;
    const next = resolve(conflict, choice);
    setConflict(undefined);
    setValues(next);
    keep(keepAs, { values: next, before: initial, at: Date.now() });
    if (choice === 'mine') await submit(next, thing);
  }

  /** Throws away what was typed before the form was left. */
  function startAnew(): void {
    forget(keepAs);
    setRestoredAt(undefined);
    setConflict(undefined);
    setFaults({});
    setValues(initial);
  }

  /** For Mantine's fields whose change is an event. */
  function text<Name extends keyof Values & string>(name: Name) {
    return {
      name,
      value: String(values[name]),
      error: faults[name],
      onChange: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) =>
        set(name, currentTarget.value as Values[Name]),
    };
  }

  /** For Mantine's fields whose change is the value itself. */
  function field<Name extends keyof Values & string>(name: Name) {
    return { value: values[name], error: faults[name], onChange: (value: Values[Name]) => set(name, value) };
  }

  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    void submit(values, thing);
  };
  const discard = () => forget(keepAs);
  const restored = restoredAt === undefined ? undefined : { at: restoredAt, discard: startAnew };
  const reset = setValues;
  const other = conflict && { conflict, names, settle };
  return {
    values,
    thing,
    set,
    change,
    reset,
    text,
    field,
    problem,
    other,
    restored,
    isPending,
    discard,
    form: { ref: form, onSubmit, noValidate: true },
  };
}

const storedName = (name: string) => `tessera-draft ${name}`;

function kept<Values>(name: string | undefined): Partial<Kept<Values>> {
  return name === undefined ? {} : tab.read(storedName(name));
}

function keep(name: string | undefined, draft: Kept<object>): void {
  if (name !== undefined) tab.keep(storedName(name), draft);
}

function forget(name: string | undefined): void {
  if (name !== undefined) tab.forget(storedName(name));
}
