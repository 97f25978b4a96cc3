import { TextInput, type TextInputProps } from '@mantine/core';
import { useEffect, useRef } from 'react';

/**
 * Where six digits are typed or pasted. The sixth one sends the form, once for each code: what was
 * refused is not sent again until the person changes it.
 */
export function CodeField({ value, ...props }: TextInputProps & { readonly value: string }) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (/^\d{6}$/.test(value.replaceAll(/\s/g, ''))) input.current?.form?.requestSubmit();
  }, [value]);
  return <TextInput autoComplete="one-time-code" inputMode="numeric" maxLength={9} {...props} value={value} ref={input} />;
}
