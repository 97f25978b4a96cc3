import { NavigationLink } from '../../base/link.tsx';
import { useRights } from '../../base/rights.ts';
import { pathOf, usePlaceHere } from '../../base/scope.ts';
import { useTexts } from '../../base/words.ts';

const areas = [
  { path: 'domains', label: 'domains', needs: 'Domain:Query' },
  { path: 'connections', label: 'connections', needs: 'Connection:Query' },
  { path: 'directory', label: 'directory', needs: 'Directory:Query' },
] as const;

/** From one part of an organization's single sign-on to the others. */
export function SignInOfPeople({ here }: { readonly here: (typeof areas)[number]['path'] }) {
  const { t } = useTexts();
  const place = usePlaceHere();
  const { may } = useRights();
  return (
    <nav className="around" aria-label={t('signInOfPeople')}>
      <span>{t('signInOfPeople')}</span>
      <ul>
        {areas
          .filter(({ needs }) => may(needs))
          .map(({ path, label }) => (
            <li key={path}>
              {path === here ? (
                <strong aria-current="page">{t(label)}</strong>
              ) : (
                <NavigationLink to={pathOf(place, path)}>{t(label)}</NavigationLink>
              )}
            </li>
          ))}
      </ul>
    </nav>
  );
}
