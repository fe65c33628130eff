/** A server of the provider contract in memory, on real TLS: it can go away, refuse leases and forget certificates. */
import 'reflect-metadata';
import { Server, ServerCredentials, status, type handleUnaryCall, type ServerUnaryCall } from '@grpc/grpc-js';
import * as x509 from '@peculiar/x509';
import { createPrivateKey, randomBytes, webcrypto } from 'node:crypto';
import {
  Action,
  ProviderServiceService,
  type Machine,
  type MachineRequest,
  type ProviderServiceServer,
  type ReportFailureRequest,
  type ReportProgressRequest,
} from '../../generated/proto/quorate/provider/v1/provider';

x509.cryptoProvider.set(webcrypto);
const KEY = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };

type Ca = { cert: x509.X509Certificate; keys: webcrypto.CryptoKeyPair };

async function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
}

async function newCa(): Promise<Ca> {
  const keys = await newKeys();
  const cert = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: randomBytes(15).toString('hex'),
    name: 'CN=test CA',
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 3_600_000),
    signingAlgorithm: KEY,
    keys: keys as never,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  });
  return { cert, keys };
}

async function issue(
  ca: Ca,
  publicKey: unknown,
  isServer: boolean,
  ttlMs: number,
): Promise<x509.X509Certificate> {
  return x509.X509CertificateGenerator.create({
    serialNumber: `01${randomBytes(14).toString('hex')}`,
    subject: 'CN=leaf',
    issuer: ca.cert.subjectName,
    // A certificate's times have no fractions; what lasts seconds must not begin in the past.
    notBefore: new Date(Date.now() - (ttlMs > 60_000 ? 60_000 : 0)),
    notAfter: new Date(Date.now() + ttlMs),
    publicKey: publicKey as never,
    signingKey: ca.keys.privateKey as never,
    signingAlgorithm: KEY,
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([
        isServer ? x509.ExtendedKeyUsage.serverAuth : x509.ExtendedKeyUsage.clientAuth,
      ]),
      ...(isServer ? [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])] : []),
    ],
  });
}

class Refusal extends Error {
  constructor(
    readonly code: status,
    readonly details: string,
  ) {
    super(details);
  }
}

interface Asked {
  readonly request: MachineRequest;
  token: bigint;
  leasedUntil: number;
  outcome: 'provisioned' | 'failed' | 'deprovisioned' | undefined;
}

export class FakeProviderService {
  readonly joinToken = 'join-token-of-the-test';
  leaseSeconds = 30;
  certificateTtlMs = 3_600_000;
  registrations = 0;
  renewals = 0;
  polls = 0;
  leaseRenewals = 0;
  heartbeats: number[] = [];
  inventories: Machine[][] = [];
  progress: ReportProgressRequest[] = [];
  provisioned: Machine[] = [];
  deprovisioned: string[] = [];
  failures: ReportFailureRequest[] = [];
  /** Offers work that it then refuses. */
  refusesClaims = false;
  refusesLeaseRenewals = false;
  port = 0;
  private readonly asked = new Map<string, Asked>();
  private readonly known = new Set<string>();
  private readonly waiting = new Set<() => void>();
  private server: Server | undefined;

  private constructor(
    private readonly ca: Ca,
    private readonly pair: { private_key: Buffer; cert_chain: Buffer },
  ) {}

  static async create(): Promise<FakeProviderService> {
    const ca = await newCa();
    const keys = await newKeys();
    const leaf = await issue(ca, keys.publicKey, true, 3_600_000);
    const der = Buffer.from(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey));
    const key = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
    const pem = key.export({ format: 'pem', type: 'pkcs8' });
    return new FakeProviderService(ca, {
      private_key: Buffer.from(pem),
      cert_chain: Buffer.from(leaf.toString('pem')),
    });
  }

  get caPem(): string {
    return this.ca.cert.toString('pem');
  }

  get endpoint(): string {
    return `localhost:${this.port}`;
  }

  /** Again on the same port after `goAway`. */
  async arrive(): Promise<void> {
    const credentials = ServerCredentials.createSsl(Buffer.from(this.caPem), [this.pair], true);
    // Register comes without a certificate.
    Object.assign((credentials as unknown as { _getConstructorOptions(): object })._getConstructorOptions(), {
      rejectUnauthorized: false,
    });
    this.server = new Server();
    this.server.addService(ProviderServiceService, this.implementation());
    this.port = await new Promise<number>((resolve, reject) => {
      this.server!.bindAsync(`127.0.0.1:${this.port}`, credentials, (error, port) =>
        error === null ? resolve(port) : reject(error),
      );
    });
  }

  goAway(): void {
    this.server?.forceShutdown();
    this.server = undefined;
  }

  forgetCertificates(): void {
    this.known.clear();
  }

  /** Another agent got it: the next report of the present holder is stale. */
  stealLease(requestId: string): void {
    this.asked.get(requestId)!.token += 1n;
  }

  ask(requestId: string, action: Action = Action.ACTION_PROVISION, machineRef = ''): void {
    const request: MachineRequest = {
      requestId,
      name: `name-${requestId}`,
      action,
      shape: { cpus: 2, memoryBytes: 4_294_967_296n, diskBytes: 21_474_836_480n },
      talosVersion: '1.11.0',
      schematicId: 'schematic',
      machineRef,
      attempt: 1,
    };
    this.asked.set(requestId, { request, token: 0n, leasedUntil: 0, outcome: undefined });
    this.waiting.forEach((wake) => wake());
  }

  private claimable(): Asked[] {
    return [...this.asked.values()].filter(
      (one) => one.outcome === undefined && one.leasedUntil < Date.now(),
    );
  }

  private held(requestId: string, token: bigint): Asked {
    const one = this.asked.get(requestId);
    if (one === undefined || one.token !== token) {
      throw new Refusal(status.FAILED_PRECONDITION, 'stale');
    }
    return one;
  }

  private finish(requestId: string, token: bigint, outcome: Asked['outcome']): void {
    const one = this.held(requestId, token);
    one.outcome = outcome;
    one.leasedUntil = 0;
  }

  private async sign(csrPem: string): Promise<{ certificatePem: string; expiresAt: Date }> {
    const csr = new x509.Pkcs10CertificateRequest(csrPem);
    if (!(await csr.verify())) {
      throw new Refusal(status.INVALID_ARGUMENT, 'not signed by its own key');
    }
    const leaf = await issue(this.ca, csr.publicKey, false, this.certificateTtlMs);
    this.known.add(leaf.serialNumber.toLowerCase());
    return { certificatePem: leaf.toString('pem'), expiresAt: leaf.notAfter };
  }

  private requireCertificate(call: ServerUnaryCall<unknown, unknown>): void {
    const peer = call.getAuthContext().sslPeerCertificate;
    const serial = peer?.serialNumber.toLowerCase();
    if (serial === undefined || !this.known.has(serial) || Date.parse(peer!.valid_to) < Date.now()) {
      throw new Refusal(status.UNAUTHENTICATED, 'this certificate is not known');
    }
  }

  private answer<Req, Res>(
    handle: (request: Req, call: ServerUnaryCall<Req, Res>) => Res | Promise<Res>,
    isOpen = false,
  ): handleUnaryCall<Req, Res> {
    return (call, callback) => {
      void (async () => {
        try {
          if (!isOpen) {
            this.requireCertificate(call);
          }
          callback(null, await handle(call.request, call));
        } catch (error) {
          const known = error instanceof Refusal;
          callback({
            code: known ? error.code : status.INTERNAL,
            details: known ? error.details : String(error),
          });
        }
      })();
    };
  }

  private async offer(waitSeconds: number, most: number, call: ServerUnaryCall<unknown, unknown>) {
    const until = Date.now() + waitSeconds * 1000;
    while (this.claimable().length === 0 && Date.now() < until && !call.cancelled) {
      await new Promise<void>((resolve) => {
        const wake = (): void => {
          clearTimeout(timer);
          this.waiting.delete(wake);
          resolve();
        };
        const timer = setTimeout(wake, Math.min(50, until - Date.now()));
        this.waiting.add(wake);
      });
    }
    return this.claimable()
      .slice(0, most)
      .map(({ request }) => ({ requestId: request.requestId, action: request.action }));
  }

  private implementation(): ProviderServiceServer {
    return {
      register: this.answer(async ({ joinToken, certificateRequestPem }) => {
        this.registrations += 1;
        if (joinToken !== this.joinToken) {
          throw new Refusal(status.UNAUTHENTICATED, 'the join token is not valid');
        }
        const signed = await this.sign(certificateRequestPem);
        return {
          ...signed,
          caPem: this.caPem,
          agentId: `agent-${this.registrations}`,
          providerId: 'provider',
        };
      }, true),
      renewCertificate: this.answer(async ({ certificateRequestPem }) => {
        this.renewals += 1;
        return { ...(await this.sign(certificateRequestPem)), caPem: this.caPem };
      }),
      heartbeat: this.answer(({ inFlight }) => {
        this.heartbeats.push(inFlight);
        return { serverTime: new Date(), nextHeartbeatSeconds: 1 };
      }),
      pollMachineRequests: this.answer(async ({ waitSeconds, maxRequests }, call) => {
        this.polls += 1;
        return { work: await this.offer(waitSeconds, maxRequests, call) };
      }),
      claimMachineRequest: this.answer(({ requestId }) => {
        const one = this.asked.get(requestId);
        if (this.refusesClaims || one === undefined || !this.claimable().includes(one)) {
          throw new Refusal(status.FAILED_PRECONDITION, 'held by another agent');
        }
        one.token += 1n;
        return { lease: this.extend(one), request: one.request };
      }),
      renewLease: this.answer(({ requestId, fencingToken }) => {
        if (this.refusesLeaseRenewals) {
          throw new Refusal(status.FAILED_PRECONDITION, 'stale');
        }
        this.leaseRenewals += 1;
        return { lease: this.extend(this.held(requestId, fencingToken)) };
      }),
      reportProgress: this.answer((report) => {
        this.held(report.requestId, report.fencingToken);
        this.progress.push(report);
        return {};
      }),
      reportProvisioned: this.answer(({ requestId, fencingToken, machine }) => {
        this.finish(requestId, fencingToken, 'provisioned');
        this.provisioned.push(machine!);
        return {};
      }),
      reportFailure: this.answer((report) => {
        this.finish(report.requestId, report.fencingToken, 'failed');
        this.failures.push(report);
        return {};
      }),
      reportDeprovisioned: this.answer(({ requestId, fencingToken }) => {
        this.finish(requestId, fencingToken, 'deprovisioned');
        this.deprovisioned.push(requestId);
        return {};
      }),
      reportInventory: this.answer(({ machines }) => {
        this.inventories.push(machines);
        return {};
      }),
    };
  }

  private extend(one: Asked) {
    one.leasedUntil = Date.now() + this.leaseSeconds * 1000;
    const expiresAt = new Date(one.leasedUntil);
    return { fencingToken: one.token, expiresAt, durationSeconds: this.leaseSeconds };
  }
}
