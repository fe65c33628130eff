/** The agent's standing with the server: it registers, renews its certificate, and registers again when it is refused. */
import { status } from '@grpc/grpc-js';
import { readFile } from 'node:fs/promises';
import { ProviderServiceService } from '../../generated/proto/quorate/provider/v1/provider';
import { createCertificateRequest, identityProblem, renewalTime, type AgentIdentity } from './agent-identity';
import type { AgentLog } from './agent-log';
import { BackOff } from './back-off';
import type { IdentityStore } from './identity-store';
import { ProviderConnection, statusOf, wordsOf, type CallLimits, type Method } from './provider-connection';
import { isAborted, pause, throwIfAborted, unlessAborted } from './wait';

const CALL_MS = 10_000;
const CONTRACT_VERSIONS = ['v1'];
/** Nobody notices a changed wall clock during one long timer. */
const LONGEST_NAP_MS = 30_000;

export interface SessionOptions {
  readonly endpoint: string;
  readonly caFile: string;
  readonly joinToken: string;
  readonly agentName: string;
  readonly softwareVersion: string;
  readonly store: IdentityStore;
  readonly log: AgentLog;
  /** Ends everything, registration included. */
  readonly signal: AbortSignal;
}

interface Standing {
  readonly identity: AgentIdentity;
  readonly connection: ProviderConnection;
}

export class AgentSession {
  private standing: Promise<Standing> | undefined;
  /** What `standing` resolved to, undefined while a registration is under way. */
  private live: Standing | undefined;
  /** Not reset by a registration: a certificate that is refused at once must not make a loop. */
  private readonly registration = new BackOff({ firstMs: 500, maxMs: 5_000 });
  private readonly refusal = new BackOff({ firstMs: 2_000, maxMs: 60_000 });
  private mustWaitMs = 0;
  private refused: string | undefined;
  private isAway = false;

  constructor(private readonly options: SessionOptions) {}

  /** Waits for a registration if need be; past that, one attempt. */
  async call<Req, Res>(method: Method<Req, Res>, request: Req, limits: CallLimits): Promise<Res> {
    const { identity, connection } = await unlessAborted(this.stand(), limits.signal);
    try {
      const response = await connection.call(method, request, limits);
      this.heard();
      return response;
    } catch (error) {
      this.judge(error, identity);
      throw error;
    }
  }

  /** Renews the certificate in time, until the session ends. */
  async keepCertificate(): Promise<void> {
    const { signal, log } = this.options;
    const backOff = new BackOff({ firstMs: 1_000, maxMs: 60_000 });
    while (!signal.aborted) {
      try {
        const standing = await this.stand();
        await this.sleepUntil(renewalTime(standing.identity.certificatePem, new Date()), standing);
        await this.renew(standing);
        backOff.reset();
      } catch (error) {
        if (!isAborted(signal)) {
          log.warn('the certificate could not be renewed yet', { reason: wordsOf(error) });
          await pause(backOff.nextMs(), signal);
        }
      }
    }
  }

  async close(): Promise<void> {
    const standing = await this.standing?.catch(() => undefined);
    standing?.connection.retire();
  }

  private async sleepUntil(time: Date, standing: Standing): Promise<void> {
    const { signal } = this.options;
    for (;;) {
      const left = time.getTime() - Date.now();
      if (left <= 0 || signal.aborted || this.live !== standing) {
        return;
      }
      await pause(Math.min(left, LONGEST_NAP_MS), signal);
    }
  }

  private async renew(standing: Standing): Promise<void> {
    const { agentName, signal, log, store } = this.options;
    throwIfAborted(signal);
    if (this.live !== standing) {
      return;
    }
    const { keyPem, certificateRequestPem } = await createCertificateRequest(agentName);
    const answer = await this.call(
      ProviderServiceService.renewCertificate,
      { certificateRequestPem },
      this.limits(),
    );
    const { certificatePem, caPem } = answer;
    const identity = { ...standing.identity, keyPem, certificatePem, caPem };
    await store.save(identity);
    if (this.live === standing) {
      this.standing = this.connect(identity);
      await this.standing;
      standing.connection.retire();
    }
    log.info('certificate renewed');
  }

  /** One registration at a time, whoever asks for it. */
  private async stand(): Promise<Standing> {
    throwIfAborted(this.options.signal);
    this.standing ??= this.establish();
    const current = this.standing;
    try {
      const standing = await current;
      const problem = identityProblem(standing.identity, await this.trusted(standing.identity), new Date());
      if (problem !== undefined) {
        this.drop(standing.identity, problem);
        return await this.stand();
      }
      return standing;
    } catch (error) {
      if (this.standing === current) {
        this.standing = undefined;
      }
      throw error;
    }
  }

  private async establish(): Promise<Standing> {
    const { store, log } = this.options;
    const stored = this.refused === undefined ? await store.load() : undefined;
    if (stored === undefined || stored.certificatePem === this.refused) {
      return this.connect(await this.register());
    }
    const problem = identityProblem(stored, await this.trusted(stored), new Date());
    if (problem === undefined) {
      return this.connect(stored);
    }
    log.info('the stored identity is of no use, registering again', { reason: problem });
    return this.connect(await this.register());
  }

  private async register(): Promise<AgentIdentity> {
    const { signal, log, store } = this.options;
    for (;;) {
      await pause(this.mustWaitMs, signal);
      throwIfAborted(signal);
      try {
        const identity = await this.registerOnce();
        await store.save(identity);
        this.registration.reset();
        this.isAway = false;
        // Until a call succeeds, a further registration waits.
        this.mustWaitMs = this.refusal.nextMs();
        log.info('registered', { agentId: identity.agentId, providerId: identity.providerId });
        return identity;
      } catch (error) {
        throwIfAborted(signal);
        this.mustWaitMs = this.planRegistration(error);
      }
    }
  }

  private async registerOnce(): Promise<AgentIdentity> {
    const { endpoint, caFile, joinToken, agentName, softwareVersion } = this.options;
    const { keyPem, certificateRequestPem } = await createCertificateRequest(agentName);
    const connection = new ProviderConnection(endpoint, await readFile(caFile, 'utf8'));
    try {
      const request = {
        joinToken,
        certificateRequestPem,
        agentName,
        softwareVersion,
        contractVersions: CONTRACT_VERSIONS,
      };
      const answer = await connection.call(ProviderServiceService.register, request, this.limits());
      const { certificatePem, caPem, agentId, providerId } = answer;
      return { keyPem, certificatePem, caPem, agentId, providerId };
    } finally {
      connection.retire();
    }
  }

  /** How long to wait after a failed registration. */
  private planRegistration(error: unknown): number {
    const { log } = this.options;
    switch (statusOf(error)) {
      case status.UNAUTHENTICATED:
      case status.PERMISSION_DENIED:
      case status.INVALID_ARGUMENT:
      case status.FAILED_PRECONDITION:
      case status.NOT_FOUND:
      case status.UNIMPLEMENTED:
        log.error('the server refuses the registration', { reason: wordsOf(error) });
        return this.refusal.nextMs();
      case undefined: // no answer of the server: the CA file or the state directory
        log.error('cannot register', { reason: wordsOf(error) });
        return this.refusal.nextMs();
      default:
        this.missed(error);
        return this.registration.nextMs();
    }
  }

  private async connect(identity: AgentIdentity): Promise<Standing> {
    const caPem = await this.trusted(identity);
    this.live = { identity, connection: new ProviderConnection(this.options.endpoint, caPem, identity) };
    return this.live;
  }

  private async trusted({ caPem }: AgentIdentity): Promise<string> {
    return `${await readFile(this.options.caFile, 'utf8')}\n${caPem}`;
  }

  private judge(error: unknown, identity: AgentIdentity): void {
    switch (statusOf(error)) {
      case status.UNAUTHENTICATED:
        this.drop(identity, wordsOf(error));
        break;
      case status.UNAVAILABLE:
        this.missed(error);
        break;
      case undefined:
      case status.DEADLINE_EXCEEDED:
      case status.CANCELLED:
        break;
      default:
        this.heard();
    }
  }

  private drop(identity: AgentIdentity, reason: string): void {
    const dropped = this.live;
    if (dropped?.identity.certificatePem !== identity.certificatePem) {
      return; // a late answer to an older certificate
    }
    this.refused = identity.certificatePem;
    this.options.log.warn('the certificate is no longer accepted, registering again', { reason });
    this.standing = undefined;
    this.live = undefined;
    dropped.connection.retire();
  }

  private heard(): void {
    this.refusal.reset();
    this.mustWaitMs = 0;
    if (this.isAway) {
      this.isAway = false;
      this.options.log.info('the server answers again');
    }
  }

  /** Said once, however long it lasts. */
  private missed(error: unknown): void {
    if (!this.isAway) {
      this.isAway = true;
      this.options.log.warn('the server cannot be reached, trying on', { reason: wordsOf(error) });
    }
  }

  private limits(): CallLimits {
    return { timeoutMs: CALL_MS, signal: this.options.signal };
  }
}
