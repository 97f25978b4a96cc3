import './console.css';
import { createTheme, MantineThemeProvider } from '@mantine/core';
import { RouterProvider } from '@tanstack/react-router';
import { mount } from '../look/mount.tsx';
import { meQuery, queries } from '../session/tessera.ts';
import { consoleWords } from '../words/generated/console.ts';
import { TellProvider } from './base/tell.tsx';
import { router } from './frame/router.tsx';

const small = { defaultProps: { size: 'sm' } };
// Locking the page's scrolling would need an inline style element; console.css does it.
const dialog = { defaultProps: { lockScroll: false }, styles: { title: { fontSize: '1.15rem', fontWeight: 650 } } };
const theme = createTheme({
  components: {
    Button: small,
    TextInput: small,
    PasswordInput: small,
    // In a narrow column it stays whole: the column gets wider.
    Badge: { styles: { root: { textTransform: 'none' as const, minWidth: 'fit-content' }, label: { overflow: 'visible' } } },
    Modal: dialog,
    Drawer: dialog,
  },
});

// On its way before anything is drawn.
void queries.prefetchQuery(meQuery);

void mount(
  <MantineThemeProvider theme={theme}>
    <TellProvider>
      <RouterProvider router={router} />
    </TellProvider>
  </MantineThemeProvider>,
  consoleWords,
);
