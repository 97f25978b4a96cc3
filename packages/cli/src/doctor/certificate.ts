import { connect, type DetailedPeerCertificate, type TLSSocket } from 'node:tls';
import { about, type Finding, reasonOf, within } from './finding.ts';

const dayMs = 86_400_000;
const soonDays = 21;

/** Whether the connection is encrypted, with a certificate that is trusted here and lasts. */
export async function checkTls(url: string, timeoutMs: number): Promise<Finding[]> {
  const { ok, unsafe, error } = about('tls', 'gateway');
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replaceAll(/[[\]]/g, '');
  if (protocol === 'http:') {
    if (host === 'localhost' || host === '::1' || /^127\./.test(host))
      return [about('tls', 'gateway').note('not encrypted, on this machine only')];
    return [unsafe('the address is not https: tokens and passwords travel unencrypted')];
  }
  let socket: TLSSocket | undefined;
  try {
    const certificate = await within(
      timeoutMs,
      new Promise<DetailedPeerCertificate>((found, failed) => {
        socket = connect({ host, port: Number(port || 443), ...(isAddress(host) ? {} : { servername: host }) }, () =>
          found((socket as TLSSocket).getPeerCertificate(true)),
        );
        socket.once('error', failed);
      }),
    );
    const days = Math.floor((Date.parse(certificate.valid_to) - Date.now()) / dayMs);
    const encrypted = `encrypted by ${socket?.getProtocol() ?? 'TLS'}`;
    return days < soonDays
      ? [unsafe(`the certificate expires in ${days} days`)]
      : [ok(`${encrypted}; the certificate is good for ${days} days`)];
  } catch (thrown) {
    return [error(`no connection that this machine trusts: ${reasonOf(thrown)}`)];
  } finally {
    socket?.destroy();
  }
}

function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}
