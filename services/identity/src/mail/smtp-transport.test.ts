import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { createSmtpTransport } from './smtp-transport.ts';

/** The least of RFC 5321 that a client needs; keeps the envelope and what follows DATA. */
function startMailServer() {
  const received: { recipients: string[]; content: string }[] = [];
  const server = createServer((socket) => {
    let [buffer, recipients, content, inData] = ['', [] as string[], '', false];
    socket.write('220 test\r\n');
    socket.on('data', (chunk) => {
      buffer += chunk;
      for (let end = buffer.indexOf('\r\n'); end >= 0; end = buffer.indexOf('\r\n')) {
        const line = buffer.slice(0, end);
        buffer = buffer.slice(end + 2);
        if (inData && line === '.') {
          inData = false;
          received.push({ recipients, content });
          [recipients, content] = [[], ''];
          socket.write('250 kept\r\n');
        } else if (inData) content += `${line}\n`;
        else if (line.startsWith('DATA')) {
          inData = true;
          socket.write('354 go on\r\n');
        } else {
          if (line.startsWith('RCPT TO')) recipients.push(line.slice(8));
          socket.write(line.startsWith('QUIT') ? '221 bye\r\n' : '250 ok\r\n');
        }
      }
    });
    socket.on('error', () => undefined);
  });
  return new Promise<{ url: string; received: typeof received; close: () => void }>((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve({ url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, received, close: () => server.close() });
    });
  });
}

test('a mail reaches one recipient over SMTP, with a message id that stays the same', async () => {
  const server = await startMailServer();
  const transport = createSmtpTransport(server.url, 'Tessera <no-reply@example.com>');
  const mail = {
    to: 'ada@example.com',
    subject: 'Grüße',
    template: 'verify-email',
    data: {},
    text: 'Hello',
    html: '<p>Hello</p>',
    createdAt: '',
  };
  await transport.send('the-id', mail);
  await transport.send('the-id', mail);
  await transport.close();
  server.close();
  expect(server.received).toHaveLength(2);
  for (const { recipients, content } of server.received) {
    expect(recipients).toStrictEqual(['<ada@example.com>']);
    expect(content).toMatch(/Message-ID: <the-id@example\.com>/i);
    expect(content).toMatch(/Subject: =\?UTF-8\?/);
    expect(content).not.toMatch(/^reply-to:/im);
  }
});

test('a server that is not there is a fault, not a silence', async () => {
  const transport = createSmtpTransport('smtp://127.0.0.1:1', 'no-reply@example.com');
  const mail = { to: 'ada@example.com', subject: 's', template: 't', data: {}, text: 't', html: 'h', createdAt: '' };
  await expect(transport.send('id', mail)).rejects.toThrow();
  await transport.close();
});
