import { TesseraError } from '@tessera/client';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useWords } from '../words/language.tsx';
import { translate } from '../words/spoken.ts';
import type { TextKey } from '../words/texts.ts';
import { sendPatiently } from './patience.ts';

/** For people: the server's own text, or what can be said without one. */
export function messageOf(error: unknown): string {
  if (!(error instanceof TesseraError)) return translate('broken');
  if (error.code === 'NETWORK_ERROR') return translate('offline');
  if (error.code === 'TIMEOUT') return translate('tooSlow');
  // No text of the server's own: a proxy between answered.
  if (error.code === 'INTERNAL_ERROR' && error.translationKey === undefined) return translate('unavailable');
  return error.message;
}

/**
 * What a refused answer means for the person. The server has one key for all ways to prove who one
 * is; the page knows which of them it asked for.
 */
export function messageOfAnswer(method: 'totp' | 'recoveryCode' | 'passkey' | 'password'): (error: unknown) => string {
  return (error) =>
    error instanceof TesseraError && error.translationKey === 'errors.auth.wrongSecondFactor'
      ? translate(`wrong_${method}`)
      : messageOf(error);
}

type FormOptions<Values> = {
  readonly initial: Values;
  /** What is wrong with a value, before anything is sent. */
  readonly check: { readonly [Name in keyof Values]?: (value: string) => TextKey | undefined };
  /** The server's names of the fields. */
  readonly serverFields: Readonly<Record<string, keyof Values & string>>;
  readonly send: (values: Values) => Promise<unknown>;
  readonly say?: (error: unknown) => string;
};

type Faults<Values> = { readonly [Name in keyof Values]?: string };

/**
 * A form that keeps what was typed. Faults stand at their fields, in the words of the server where
 * it found them; the first one gets the focus.
 */
export function useForm<Values extends Record<string, string>>({
  initial,
  check,
  serverFields,
  send,
  say = messageOf,
}: FormOptions<Values>) {
  const { language } = useWords();
  const [values, setValues] = useState(initial);
  const [faults, setFaults] = useState<Faults<Values>>({});
  const [problem, setProblem] = useState<string>();
  const [isPending, setPending] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const isGone = useRef(false);

  useEffect(() => {
    isGone.current = false;
    return () => {
      isGone.current = true;
    };
  }, []);

  useEffect(() => {
    if (Object.keys(faults).length > 0) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [faults]);
  useEffect(() => {
    setFaults({});
    setProblem(undefined);
  }, [language]);

  function find(): Faults<Values> {
    const found = Object.entries(check).flatMap(([name, rule]) => {
      const key = rule?.(values[name] ?? '');
      return key === undefined ? [] : [[name, translate(key)]];
    });
    return Object.fromEntries(found);
  }

  async function submit(event: FormEvent): Promise<void> {
    event.preventDefault();
    if (isPending) return;
    const found = find();
    setProblem(undefined);
    setFaults(found);
    if (Object.keys(found).length > 0) return;
    setPending(true);
    try {
      await sendPatiently(
        () => send(values),
        (seconds) => setProblem(seconds === undefined ? undefined : translate('signInBusy', { seconds: String(seconds) })),
        () => isGone.current,
      );
    } catch (error) {
      const field = error instanceof TesseraError ? serverFields[error.field ?? ''] : undefined;
      if (field === undefined) setProblem(say(error));
      else setFaults({ [field]: say(error) } as Faults<Values>);
    } finally {
      setPending(false);
    }
  }

  function field(name: keyof Values & string) {
    return {
      name,
      value: values[name],
      error: faults[name],
      onChange: ({ currentTarget: { value } }: { readonly currentTarget: HTMLInputElement }) => {
        setValues((before) => ({ ...before, [name]: value }));
        setFaults(({ [name]: _, ...others }) => others as Faults<Values>);
      },
    };
  }

  const onSubmit = (event: FormEvent) => void submit(event);
  const clear = () => setValues(initial);
  return { values, field, clear, problem, isPending, form: { ref: form, onSubmit, noValidate: true } };
}

export const requireEmail = (value: string): TextKey | undefined => (/^\s*\S+@\S+\s*$/.test(value) ? undefined : 'enterEmail');
export const requireName = (value: string): TextKey | undefined => (value.trim() === '' ? 'enterName' : undefined);
export const requireOrganizationName = (value: string): TextKey | undefined => (value.trim() === '' ? 'enterOrganizationName' : undefined);
export const requireCode = (value: string): TextKey | undefined => (value.trim() === '' ? 'enterCode' : undefined);
export const requirePassword = (value: string): TextKey | undefined => (value === '' ? 'enterPassword' : undefined);
