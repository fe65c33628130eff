import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { splitEndpoint } from './talos-connection';

export interface TlsInspection {
  /**
   * silent: nothing answers TLS there. open: serves who shows no certificate, as in maintenance mode.
   * closed: asks for a certificate.
   */
  readonly door: 'silent' | 'open' | 'closed';
  /** The server's certificate comes from the CA given. */
  readonly isOurs: boolean;
  readonly error?: string;
}

/**
 * Finds out who is behind a Talos endpoint by a TLS handshake without a client certificate. With TLS 1.3 a server
 * refuses only after the handshake, so it is the first bytes that tell: an HTTP/2 server that serves us speaks first.
 */
export function inspectTls(
  endpoint: string,
  ca: string | undefined,
  deadline: number,
): Promise<TlsInspection> {
  const { host, port } = splitEndpoint(endpoint);
  return new Promise((resolve) => {
    let shaken = false;
    const socket = connect({
      host,
      port,
      ...(ca === undefined ? {} : { ca }),
      ...(isIP(host) === 0 ? { servername: host } : {}),
      ALPNProtocols: ['h2'],
      rejectUnauthorized: false, // who it is is the question; nothing is sent or believed
      checkServerIdentity: () => undefined,
    });
    const timer = setTimeout(() => finish('silent', 'no answer in time'), Math.max(0, deadline - Date.now()));
    const finish = (door: TlsInspection['door'], error?: string): void => {
      clearTimeout(timer);
      resolve({
        door,
        isOurs: shaken && ca !== undefined && socket.authorized,
        ...(error === undefined ? {} : { error }),
      });
      destroy(socket);
    };
    socket.once('secureConnect', () => (shaken = true));
    socket.once('data', () => finish('open'));
    socket.once('error', (error: Error) =>
      finish(shaken || isAlert(error) ? 'closed' : 'silent', error.message),
    );
    socket.once('close', () => finish(shaken ? 'closed' : 'silent', 'it hung up'));
  });
}

/** With TLS 1.2 the refusal comes within the handshake. */
const isAlert = (error: NodeJS.ErrnoException): boolean => error.code?.includes('_ALERT_') ?? false;

function destroy(socket: TLSSocket): void {
  socket.removeAllListeners();
  socket.on('error', () => undefined); // late ones concern nobody
  socket.destroy();
}
