import { request } from 'node:https';
import { checkServerIdentity, type PeerCertificate } from 'node:tls';

export interface ReadinessTarget {
  readonly host: string;
  readonly port: number;
  /** CA of the Kubernetes API, PEM. */
  readonly ca: string;
  readonly crt: string;
  readonly key: string;
}

/** A name that Talos puts into the certificate of every API server. */
const SERVICE_NAME = 'kubernetes';
const BODY_LIMIT = 4096;

/** Whether the Kubernetes API at this very machine says that it is ready; any failure is a no. */
export function isKubernetesReady(target: ReadinessTarget, deadline: number): Promise<boolean> {
  const { host, port, ca, crt, key } = target;
  return new Promise((resolve) => {
    const call = request({
      host,
      port,
      path: '/readyz',
      agent: false,
      ca,
      cert: crt,
      key,
      servername: SERVICE_NAME,
      checkServerIdentity: (_: string, certificate: PeerCertificate) =>
        checkServerIdentity(SERVICE_NAME, certificate),
      signal: AbortSignal.timeout(Math.max(1, deadline - Date.now())),
    });
    call.on('error', () => resolve(false));
    call.on('response', (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (body = (body + chunk).slice(0, BODY_LIMIT)));
      response.on('end', () => resolve(response.statusCode === 200 && body.trim() === 'ok'));
      response.on('error', () => resolve(false));
      response.on('close', () => resolve(false));
    });
    call.end();
  });
}
