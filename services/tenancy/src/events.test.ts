import { expect, test } from '@jest/globals';
import { serviceAccountStays } from './events.ts';

test('the mail that a service account stays is sent once for each person and reason', () => {
  const mailOf = (makerId: string, why: 'left' | 'demoted') => {
    const account = {
      id: 'account',
      name: 'Deployer',
      organizationId: 'acme',
      makerId,
      maker: 'Ada',
      why,
      credentials: 'secret …abcd',
      more: 2,
    };
    return serviceAccountStays(account, 'Acme');
  };
  const mails = [mailOf('ada', 'left'), mailOf('ada', 'left'), mailOf('ada', 'demoted'), mailOf('bob', 'left')];
  expect(new Set(mails.map(({ key }) => key)).size).toBe(3);
  expect(mails[0]).toMatchObject({ payload: { messageId: mails[0]?.key, data: { credentials: 'secret …abcd', more: '2' } } });
});
