import { Alert, Loader, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { optionsQuery } from '../session/tessera.ts';
import { useWords } from '../words/language.tsx';
import { Choices } from './choices.tsx';
import { type Face, FaceFoot, FaceHead, isOfTenant, usePaint } from './face.tsx';
import icon from './icon.svg';

/** The name of this installation, until it is known the product's own. */
export function useProductName(): string {
  return useQuery(optionsQuery).data?.productName ?? 'Tessera';
}

export function Logo() {
  return (
    <>
      <img src={icon} alt="" width={28} height={28} />
      <strong>{useProductName()}</strong>
    </>
  );
}

type FrameProps = {
  readonly children: ReactNode;
  /** Of an app or an organization; null while it is not known. */
  readonly face?: Face | null | undefined;
};

/** One card in the middle: what all hosted pages look like. */
export function Frame({ children, face }: FrameProps) {
  const { data } = useQuery(optionsQuery);
  usePaint(face ?? data?.branding);
  return (
    <div className="frame">
      <header>{face === null ? null : face === undefined || !isOfTenant(face) ? <Logo /> : <FaceHead face={face} />}</header>
      <main>
        <Paper className="card" withBorder radius="lg">
          {children}
        </Paper>
      </main>
      <footer>
        {face == null || !isOfTenant(face) ? null : <FaceFoot face={face} />}
        <Choices />
      </footer>
    </div>
  );
}

/** Keeps an email address in one line: the browser would break it at a hyphen. */
export function Words({ text }: { readonly text: string }) {
  return text.split(/(\S+@\S+)/).map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <span key={part} className="address">
        {part}
      </span>
    ),
  );
}

type CardProps = { readonly title: string; readonly text?: ReactNode; readonly children?: ReactNode };

/** A step of a page. Its heading is the title of the tab and gets the focus, so that it is read out. */
export function Card({ title, text, children }: CardProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  const product = useProductName();
  useEffect(() => {
    document.title = title.includes(product) ? title : `${title} · ${product}`;
  }, [title, product]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus();
  }, [title]);
  return (
    <Stack gap="md">
      <Title order={1} size="h2" tabIndex={-1} ref={heading} className="wrap">
        {title}
      </Title>
      {text === undefined ? null : <Text className="wrap">{typeof text === 'string' ? <Words text={text} /> : text}</Text>}
      {children}
    </Stack>
  );
}

export function Waiting() {
  const { t } = useWords();
  return (
    <Stack align="center" py="xl" role="status" className="slow">
      <Loader aria-hidden />
      <Text c="dimmed">{t('loading')} …</Text>
    </Stack>
  );
}

/** What went wrong, read out at once. */
export function Problem({ children }: { readonly children: ReactNode }) {
  const alert = useRef<HTMLDivElement>(null);
  // A button that waits loses the focus; without it, the keyboard would begin at the top again.
  useEffect(() => {
    if (document.activeElement === document.body) alert.current?.focus();
  }, [children]);
  return (
    <Alert color="red" variant="outline" role="alert" className="wrap" tabIndex={-1} ref={alert}>
      {typeof children === 'string' ? <Words text={children} /> : children}
    </Alert>
  );
}

export function Notice({ children }: { readonly children: ReactNode }) {
  return (
    <Alert color="indigo" variant="outline" role="status" className="wrap">
      {typeof children === 'string' ? <Words text={children} /> : children}
    </Alert>
  );
}
