import type { Database } from '@tessera/kernel/postgres';
import type { Metrics } from '@tessera/kernel/telemetry';
import { mailBacklog } from './mail/storage/mail-jobs.ts';
import type { PasswordHasher } from './people/passwords/password-hasher.ts';

type Watched = { readonly database: Database; readonly hasher: Pick<PasswordHasher, 'depth' | 'refusals' | 'restarts'> };

/** The metrics of identity, read only when the metrics endpoint is. */
export function watchIdentity(metrics: Metrics, { database, hasher }: Watched): void {
  const restarts = { name: 'identity_child_restarts_total', help: 'How often a child process was started again', label: 'child' };
  metrics.watch({ type: 'counter', ...restarts }, () => ({ bcrypt: hasher.restarts() }));
  const passwords = { name: 'identity_password_jobs', help: 'Passwords that wait to be hashed or compared, or are', label: 'state' };
  metrics.watch({ type: 'gauge', ...passwords }, () => ({ unfinished: hasher.depth() }));
  const refusals = {
    name: 'identity_password_refusals_total',
    help: 'Passwords that were refused because too many waited',
    label: 'reason',
  };
  metrics.watch({ type: 'counter', ...refusals }, () => ({ queue: hasher.refusals() }));
  const mails = { name: 'identity_mail_jobs', help: 'Mails that wait to be sent, and the age of the oldest', label: 'what' };
  metrics.watch({ type: 'gauge', ...mails }, async () => {
    const { waiting, oldestSeconds } = await mailBacklog(database);
    return { waiting, oldest_seconds: oldestSeconds };
  });
}
