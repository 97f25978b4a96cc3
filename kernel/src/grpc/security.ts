import { readFileSync } from 'node:fs';
import type { PeerCertificate } from 'node:tls';
import { ChannelCredentials, ServerCredentials } from '@grpc/grpc-js';

/** PEM files or texts for mutual TLS. Without them nothing is encrypted: private networks only. */
export type GrpcTls = { readonly GRPC_TLS_CERT: string; readonly GRPC_TLS_KEY: string; readonly GRPC_TLS_CA: string };

function pem(value: string): Buffer {
  return value.startsWith('-----BEGIN') ? Buffer.from(value) : readFileSync(value);
}

/** grpc-js shares connections only between channels with the same credentials object. */
const channels = new WeakMap<GrpcTls, ChannelCredentials>();

export function channelCredentials(tls: GrpcTls | undefined): ChannelCredentials {
  if (tls === undefined) return ChannelCredentials.createInsecure();
  const made = channels.get(tls) ?? ChannelCredentials.createSsl(pem(tls.GRPC_TLS_CA), pem(tls.GRPC_TLS_KEY), pem(tls.GRPC_TLS_CERT));
  channels.set(tls, made);
  return made;
}

export function serverCredentials(tls: GrpcTls | undefined): ServerCredentials {
  if (tls === undefined) return ServerCredentials.createInsecure();
  const pair = { private_key: pem(tls.GRPC_TLS_KEY), cert_chain: pem(tls.GRPC_TLS_CERT) };
  return ServerCredentials.createSsl(pem(tls.GRPC_TLS_CA), [pair], true);
}

/** Whether a certificate names a service: as its common name or DNS name, or their first label. */
export function isNamed(caller: string, { subject, subjectaltname = '' }: PeerCertificate): boolean {
  const names = [subject.CN, ...subjectaltname.split(', ').map((name) => name.replace(/^DNS:/, ''))].flat();
  return names.some((name) => name?.split('.')[0] === caller);
}

export const maxMessageBytes = 16 * 1024 * 1024;
