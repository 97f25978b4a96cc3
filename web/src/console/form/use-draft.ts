import { useQueryClient } from '@tanstack/react-query';
import { TesseraError } from '@tessera/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { messageOf } from '../../parts/form.ts';

type Faults<Values> = { readonly [Name in keyof Values]?: string | undefined };
type DraftOptions<Values> = {
  readonly initial: Values;
  /** Keeps what was typed in this tab until it is sent, also over a sign-in. Never for secrets. */
  readonly keepAs?: string;
  /** What is wrong before anything is sent. */
  readonly check?: (values: Values) => Faults<Values>;
  /** The server's names of fields that are called otherwise here. */
  readonly serverFields?: Readonly<Record<string, keyof Values & string>>;
  readonly send: (values: Values) => Promise<unknown>;
  readonly done?: () => void;
};

/**
 * A form of any values that keeps what was typed. Faults stand at their fields; the first gets the
 * focus.
 */
export function useDraft<Values extends object>({ initial, keepAs, check, serverFields = {}, send, done }: DraftOptions<Values>) {
  const queries = useQueryClient();
  const [values, setValues] = useState<Values>(() => ({ ...initial, ...kept<Values>(keepAs) }));
  const [faults, setFaults] = useState<Faults<Values>>({});
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isSending = useRef(false);

  useEffect(() => {
    if (Object.values(faults).some(Boolean)) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [faults]);

  function set<Name extends keyof Values & string>(name: Name, value: Values[Name]): void {
    const next = { ...values, [name]: value };
    setValues(next);
    keep(keepAs, next);
    setFaults((before) => ({ ...before, [name]: undefined }));
  }

  function refuse(error: unknown): void {
    const path = error instanceof TesseraError ? (error.field ?? '') : '';
    const [first = ''] = path.split('.');
    const field =
      serverFields[path] ?? serverFields[first] ?? (Object.hasOwn(values, first) ? (first as keyof Values & string) : undefined);
    if (field === undefined) setProblem(messageOf(error));
    else setFaults({ [field]: messageOf(error) } as Faults<Values>);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    event.stopPropagation();
    if (isSending.current) return;
    const found = check?.(values) ?? {};
    setProblem(undefined);
    setFaults(found);
    if (Object.values(found).some(Boolean)) return;
    isSending.current = true;
    setPending(true);
    try {
      await send(values);
      forget(keepAs);
      await queries.invalidateQueries({ queryKey: ['console'] });
      done?.();
    } catch (error) {
      refuse(error);
    } finally {
      isSending.current = false;
      setPending(false);
    }
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

  const onSubmit = (event: FormEvent) => void submit(event);
  const discard = () => forget(keepAs);
  const reset = setValues;
  return { values, set, reset, text, field, problem, isPending, discard, form: { ref: form, onSubmit, noValidate: true } };
}

const storedName = (name: string) => `tessera-draft ${name}`;

function kept<Values>(name: string | undefined): Partial<Values> {
  try {
    return name === undefined ? {} : JSON.parse(sessionStorage.getItem(storedName(name)) ?? '{}');
  } catch {
    return {};
  }
}

/** A browser may refuse to keep anything; then the draft lasts as long as the page. */
function keep(name: string | undefined, values: object): void {
  try {
    if (name !== undefined) sessionStorage.setItem(storedName(name), JSON.stringify(values));
  } catch {
    // Nothing is kept.
  }
}

function forget(name: string | undefined): void {
  try {
    if (name !== undefined) sessionStorage.removeItem(storedName(name));
  } catch {
    // Nothing was kept.
  }
}
