/** Real etcd when it is there and wanted; the model otherwise. */
import path from 'node:path';
import type { EtcdEngine } from './etcd-engine';
import { ModelledEtcd } from './modelled-etcd';
import { findEtcd, RealEtcd } from './real-etcd';

export const ETCD_CHOICES = ['auto', 'real', 'modelled'] as const;
export type EtcdChoice = (typeof ETCD_CHOICES)[number];

export function chooseEngine(choice: EtcdChoice, stateDir: string, binary: string | undefined): EtcdEngine {
  const found = choice === 'modelled' ? undefined : findEtcd(binary);
  if (found !== undefined) {
    return new RealEtcd(found);
  }
  if (choice === 'real') {
    throw new Error('SIMULATOR_ETCD=real, but there is no etcd 3.4 or newer (PATH or ETCD_BIN)');
  }
  return new ModelledEtcd(path.join(stateDir, 'etcd'));
}
