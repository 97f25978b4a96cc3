import { Text, Textarea } from '@mantine/core';
import { type ClipboardEvent, type ComponentProps, type KeyboardEvent, useMemo, useState } from 'react';
import { useTexts } from '../../base/words.ts';
import { addressesIn, longestText, mostAddresses } from './addresses.ts';
import { useNames } from './names.ts';

type FieldProps = Pick<ComponentProps<typeof Textarea>, 'label' | 'error' | 'onChange'> & { readonly value: string };

/** One address or several, typed or pasted. */
export function AddressesField({ value, error, onChange, ...props }: FieldProps) {
  const { t, count } = useTexts();
  const [isTooLong, setTooLong] = useState(false);
  const { addresses, repeated, isTable } = useMemo(() => addressesIn(value), [value]);
  const change: typeof onChange = (event) => {
    const fits = event.currentTarget.value.length <= longestText;
    setTooLong(!fits);
    if (fits) onChange?.(event);
  };
  // The browser would lay out a hundred thousand lines before it tells of them.
  const paste = (event: ClipboardEvent) => {
    if (event.clipboardData.getData('text').length <= longestText) return;
    event.preventDefault();
    setTooLong(true);
  };
  // As in a field for one address, until there are several.
  const send = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const isOne = addresses.length < 2 && !/[\r\n]/.test(value);
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing || !isOne) return;
    event.preventDefault();
    event.currentTarget.form?.requestSubmit();
  };
  const said = [
    ...(addresses.length > 1 ? [t('addressCount', { count: count(addresses.length) })] : []),
    ...(repeated > 0 ? [t('addressesRepeated', { count: count(repeated) })] : []),
    ...(isTable ? [t('addressColumn')] : []),
  ];
  return (
    <div>
      <Textarea
        {...props}
        value={value}
        error={isTooLong ? t('tooMuchText', { most: count(mostAddresses) }) : error}
        onChange={change}
        onKeyDown={send}
        onPaste={paste}
        maxLength={longestText + 1}
        description={t('severalHelp', { most: count(mostAddresses) })}
        autosize
        minRows={1}
        maxRows={8}
        inputMode="email"
        autoCapitalize="none"
        spellCheck={false}
        data-autofocus
        autoComplete="off"
      />
      <Text role="status" size="sm" c="dimmed" mt={said.length > 0 ? 4 : 0}>
        {said.join(' ')}
      </Text>
    </div>
  );
}

const longestShown = 40;

/** What is wrong with what was typed, before anything is sent. */
export function useAddressFault(): (text: string) => string | undefined {
  const { t, count } = useTexts();
  const nameAll = useNames();
  return (text) => {
    const { addresses, faults } = addressesIn(text);
    const isOne = addresses.length + faults.length <= 1;
    if (isOne && addresses.length === 0) return t('enterEmail');
    if (faults.length > 0) return t('notAddresses', { list: nameAll(faults.map(short)) });
    if (addresses.length > mostAddresses) return t('tooManyAddresses', { count: count(addresses.length), most: count(mostAddresses) });
    return undefined;
  };
}

function short(text: string): string {
  return text.length > longestShown ? `${text.slice(0, longestShown)}…` : text;
}
