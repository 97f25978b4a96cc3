import { type MantineColorScheme, useMantineColorScheme } from '@mantine/core';
import { useWords } from '../words/language.tsx';
import { type Language, languages } from '../words/spoken.ts';

const schemes = { auto: 'themeAuto', light: 'themeLight', dark: 'themeDark' } as const;

/** Language and theme. Both are remembered on this device. */
export function Choices() {
  const { t, language, setLanguage } = useWords();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <div className="choices">
      <select aria-label={t('language')} value={language} onChange={({ target }) => setLanguage(target.value as Language)}>
        {Object.entries(languages).map(([code, name]) => (
          <option key={code} value={code} lang={code}>
            {name}
          </option>
        ))}
      </select>
      <select aria-label={t('theme')} value={colorScheme} onChange={({ target }) => setColorScheme(target.value as MantineColorScheme)}>
        {Object.entries(schemes).map(([scheme, key]) => (
          <option key={scheme} value={scheme}>
            {t(key)}
          </option>
        ))}
      </select>
    </div>
  );
}
