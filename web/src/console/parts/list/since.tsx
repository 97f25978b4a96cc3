import { ago } from '../../base/ago.ts';
import { useTexts } from '../../base/words.ts';

/** A time as people speak of it; the exact one for pointers and for programs. */
export function Since({ at }: { readonly at: string | null }) {
  const { when, language } = useTexts();
  if (at === null) return '–';
  return (
    <time dateTime={at} title={when(at)} className="unbroken">
      {ago(new Date(at), new Date(), language)}
    </time>
  );
}
