/** The keys of a node's door: a control plane signs for itself, a worker asks the trustd of one, with its token. */
import type { NodeConfig } from '../config/node-config';
import { apidCertificate, type Issuer } from '../pki/certificates';
import type { DoorKeys } from './apid';
import { clusterTopic } from './machine-world';
import type { SimulatedMachine } from './simulated-machine';

/** Waits, on a worker, until a control plane of its cluster is up. */
export async function obtainDoorKeys(
  machine: SimulatedMachine,
  config: NodeConfig,
  signal: AbortSignal,
): Promise<DoorKeys> {
  const issuer = await findIssuer(machine, config, signal);
  const names = ['127.0.0.1', 'localhost', machine.hostname, ...config.certSans];
  const pair = await apidCertificate(issuer, machine.hostname, names);
  return { ...pair, clientCas: [config.osCa.crt, ...config.acceptedCas].filter((crt) => crt !== '') };
}

async function findIssuer(
  machine: SimulatedMachine,
  config: NodeConfig,
  signal: AbortSignal,
): Promise<Issuer> {
  const { key } = config.osCa;
  if (config.role === 'controlplane' && key !== undefined) {
    return { crt: config.osCa.crt, key };
  }
  const { notifier } = machine.world;
  for (;;) {
    const seen = notifier.version(clusterTopic(config));
    for (const peer of machine.world.controlPlanes(config, machine)) {
      const ca = peer.config?.osCa;
      if (peer.config?.token === config.token && ca?.key !== undefined) {
        return { crt: ca.crt, key: ca.key };
      }
    }
    await notifier.wait(clusterTopic(config), seen, signal);
    signal.throwIfAborted();
  }
}
