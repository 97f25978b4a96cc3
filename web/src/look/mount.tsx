import './styles.css';
import { createTheme, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { followSession, queries } from '../session/tessera.ts';
import { WordsProvider } from '../words/language.tsx';
import { startWords, type Words } from '../words/spoken.ts';

const theme = createTheme({
  primaryColor: 'indigo',
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif',
  components: {
    TextInput: { defaultProps: { size: 'md' } },
    Checkbox: { vars: () => ({ root: { '--checkbox-icon-color': 'var(--mantine-primary-color-contrast)' } }) },
    PasswordInput: { defaultProps: { size: 'md' } },
    Button: {
      defaultProps: { size: 'md' },
      // On the colour of a tenant, white may not be readable.
      vars: (_theme: unknown, { variant = 'filled', color }: { readonly variant?: string; readonly color?: string }) => ({
        root: variant === 'filled' && color === undefined ? { '--button-color': 'var(--mantine-primary-color-contrast)' } : {},
      }),
      // A long name or address goes on in the next line; Mantine would cut it off.
      styles: {
        root: {
          display: 'inline-flex',
          alignItems: 'center',
          justifyContent: 'center',
          height: 'auto',
          minHeight: 'var(--button-height)',
          paddingBlock: 6,
          paddingInline: 'clamp(0.5rem, 3vw, 1.375rem)',
        },
        label: {
          display: 'block',
          textAlign: 'center',
          height: 'auto',
          overflow: 'visible',
          whiteSpace: 'normal',
          overflowWrap: 'anywhere',
          lineHeight: 1.35,
        },
      },
    },
  },
});

/**
 * Shows an entry. The variables of the theme are in styles.css: Mantine would write them into an
 * inline style element, which the Content-Security-Policy refuses.
 */
export async function mount(children: ReactNode, ...words: readonly Words[]): Promise<void> {
  followSession();
  await startWords(words);
  const root = document.getElementById('root');
  if (root === null) throw new Error('The page has no #root');
  createRoot(root).render(
    <StrictMode>
      <MantineProvider theme={theme} defaultColorScheme="auto" withCssVariables={false} withStaticClasses={false} withGlobalClasses={false}>
        <WordsProvider>
          <QueryClientProvider client={queries}>{children}</QueryClientProvider>
        </WordsProvider>
      </MantineProvider>
    </StrictMode>,
  );
}
