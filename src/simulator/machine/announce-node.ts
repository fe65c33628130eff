/** What a node tells the discovery service of itself; only a graceful reset takes it back. */
import { seal } from '../discovery/affiliate-codec';
import type { SimulatedMachine } from './simulated-machine';

const TTL_MS = 30 * 60_000;
export const REFRESH_MS = TTL_MS / 2;

export function announceNode({ config, record, hostname, talosVersion, world }: SimulatedMachine): void {
  const endpoint = config?.discoveryEndpoint;
  if (config === undefined || endpoint === undefined || record.nodeId === undefined) {
    return;
  }
  if (!world.reachesDiscovery(endpoint)) {
    return;
  }
  const sealed = seal(
    {
      nodeId: record.nodeId,
      addresses: ['127.0.0.1'],
      hostname,
      nodename: config.skipNodeRegistration ? '' : hostname,
      machineType: config.role,
      operatingSystem: `Talos (v${talosVersion}) (simulated)`,
      ...(config.role === 'controlplane' ? { apiServerPort: record.ports.kubernetes } : {}),
    },
    config.clusterSecret,
  );
  world.discovery.update({
    clusterId: config.clusterId,
    affiliateId: record.nodeId,
    data: sealed,
    endpoints: [],
    ttlMs: TTL_MS,
  });
}

export function withdrawNode({ config, record, world }: SimulatedMachine): void {
  if (config?.discoveryEndpoint === undefined || record.nodeId === undefined) {
    return;
  }
  if (world.reachesDiscovery(config.discoveryEndpoint)) {
    world.discovery.delete(config.clusterId, record.nodeId);
  }
}
