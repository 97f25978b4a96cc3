import { expect, test } from '@jest/globals';
import { basicSecret } from './basic-secret.ts';

async function headerOf(clientId: string, secret: string): Promise<string> {
  const headers = new Headers();
  await basicSecret(secret)({ issuer: 'https://login.example' }, { client_id: clientId }, new URLSearchParams(), headers);
  return Buffer.from(headers.get('authorization')?.slice('Basic '.length) ?? '', 'base64').toString();
}

test('a secret of usual characters goes as it is, also to a provider that decodes nothing', async () => {
  expect(await headerOf('0oa1.example_a', 'aB8Q~x-y_z.1')).toBe('0oa1.example_a:aB8Q~x-y_z.1');
});

test('a secret that holds what separates is encoded, and decodes to itself', async () => {
  const secret = 'a:b+c%20d e&ü';
  const [id = '', sent = ''] = (await headerOf('https://client.example/a:b', secret)).split(':');
  const decode = (value: string) => decodeURIComponent(value.replaceAll('+', ' '));
  expect([decode(id), decode(sent)]).toStrictEqual(['https://client.example/a:b', secret]);
});
