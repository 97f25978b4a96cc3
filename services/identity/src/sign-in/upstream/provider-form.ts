/**
 * The form by which some providers answer (OAuth 2.0 Form Post Response Mode). Cookies do not come
 * with a post from another site, so the form is kept for a minute, and the browser asks for the
 * same address with its own request. Whose answer it is shows there.
 */
import type { Redirect } from '../../ground/context.ts';
import type { ConfiguredProvider } from '../connections/provider.ts';
import type { ProtocolContext } from '../deps.ts';

const kept = ['code', 'state', 'iss', 'error', 'user'];
const longestParameter = 4_096;

export async function receiveProviderForm(
  { deps }: ProtocolContext,
  { kind, callback }: { readonly kind: keyof ConfiguredProvider['callbacks']; readonly callback: string },
  form: URLSearchParams,
): Promise<Redirect> {
  const onward = new URL(callback);
  const state = (form.get('state') ?? '').slice(0, longestParameter);
  onward.searchParams.set('state', state);
  // Nothing is kept for a state that was never given; the next page says so.
  const flows = kind === 'platform' ? deps.platformFlows : deps.projectFlows;
  if (!(await flows.has(state))) return { location: onward.href };
  const parameters = kept.flatMap((name): [string, string][] => {
    const [value, ...more] = form.getAll(name);
    return value === undefined || more.length > 0 || value.length > longestParameter ? [] : [[name, value]];
  });
  onward.searchParams.set('answer', await deps.providerForms.remember({ parameters: Object.fromEntries(parameters) }));
  return { location: onward.href };
}
