/** The Kubernetes API server of one simulated control-plane machine, good enough for a real `kubectl`. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { EtcdUnavailableError, type EtcdStore } from '../etcd/etcd-store';
import { authenticate } from './authenticate';
import { discoveryDocument, versionDocument } from './discovery-documents';
import { handleResource } from './handle-resource';
import { latency, sendJson, sendText, type KubeCall } from './kube-call';
import { openApiDocument } from './openapi-documents';
import { parseRequestPath } from './parse-request-path';
import { Registry } from './registry';
import { resourceKind } from './resource-kinds';
import { seedCluster } from './seed-cluster';
import { issueServingCertificate } from './serving-certificate';
import { StatusError } from './status-error';

export interface KubernetesApiOptions {
  readonly host: string;
  /** 0: any free one; see `KubernetesApi.port`. */
  readonly port: number;
  readonly store: EtcdStore;
  readonly clusterName: string;
  /** Without a leading v. */
  readonly kubernetesVersion: string;
  readonly caCertPem: string;
  /** ECDSA P-256, PKCS#8 or SEC1. */
  readonly caKeyPem: string;
  /** Besides the names that every API server carries. */
  readonly certSans: readonly string[];
  readonly latencyMs?: number;
}

export interface KubernetesApi {
  readonly port: number;
  close(): Promise<void>;
}

const HEALTH_PATHS: readonly string[] = ['/healthz', '/livez', '/readyz'];

function statusOf(error: unknown): StatusError {
  if (error instanceof StatusError) {
    return error;
  }
  if (error instanceof EtcdUnavailableError) {
    return new StatusError('InternalError', error.message);
  }
  return new StatusError('InternalError', `Internal error occurred: ${String(error)}`);
}

/** Alive means that the process answers; ready and healthy mean that etcd does, too. */
async function sendHealth(response: ServerResponse, path: string, registry: Registry): Promise<void> {
  try {
    if (path !== '/livez') {
      await registry.get(resourceKind('namespaces'), undefined, 'default');
    }
    sendText(response, 200, 'ok');
  } catch {
    sendText(response, 500, `[+]ping ok\n[-]etcd failed: reason withheld\n${path.slice(1)} check failed\n`);
  }
}

async function answer(call: KubeCall, registry: Registry, options: KubernetesApiOptions): Promise<void> {
  const path = call.url.pathname;
  if (HEALTH_PATHS.includes(path)) {
    return sendHealth(call.response, path, registry);
  }
  const version = /^\/version\/?$/.test(path) ? versionDocument(options.kubernetesVersion) : undefined;
  const document = version ?? discoveryDocument(path) ?? openApiDocument(path);
  if (document !== undefined) {
    sendJson(call.response, 200, document);
    return;
  }
  const target = parseRequestPath(path);
  if (target === undefined) {
    throw new StatusError('NotFound', 'the server could not find the requested resource');
  }
  return handleResource(call, target, registry);
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  registry: Registry,
  options: KubernetesApiOptions,
): Promise<void> {
  try {
    await latency(options.latencyMs);
    const user = authenticate(request);
    const url = new URL(request.url ?? '/', 'https://kubernetes');
    await answer({ request, response, url, user }, registry, options);
  } catch (error) {
    const status = statusOf(error);
    if (response.headersSent) {
      response.destroy();
    } else {
      sendJson(response, status.code, status.body());
    }
  }
}

function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : port);
    });
  });
}

export async function startKubernetesApi(options: KubernetesApiOptions): Promise<KubernetesApi> {
  const registry = new Registry(options.store);
  const ca = { certPem: options.caCertPem, keyPem: options.caKeyPem };
  const serving = await issueServingCertificate(ca, [options.host, ...options.certSans]);
  const tls = {
    cert: serving.certPem,
    key: serving.keyPem,
    ca: options.caCertPem,
    requestCert: true,
    rejectUnauthorized: false, // a stranger gets 401 and a Status, as from the real server, and not a broken handshake
    minVersion: 'TLSv1.2' as const,
  };
  const server = createServer(tls, (request, response) => {
    void handle(request, response, registry, options);
  });
  const port = await listen(server, options.host, options.port);
  const closing = new AbortController();
  const seeded = seedCluster(registry, closing.signal);
  return {
    port,
    async close() {
      closing.abort();
      await seeded;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
