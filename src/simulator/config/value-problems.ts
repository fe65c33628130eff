/** Forms of single values: tokens, certificates, labels, taints, subnets, DNS names. */
import { isIP } from 'node:net';
import { caProblem } from '../pki/certificates';
import { decodePem } from './node-config';

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
export const TOKEN = /^[0-9a-z]{6}\.[0-9a-z]{16}$/;
const LABEL_NAME = /^([A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?)$/;
const DNS_NAME = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

export function isDnsName(text: string): boolean {
  return text.length <= 253 && DNS_NAME.test(text);
}

export function labelProblem(where: string, key: string, value: string): string[] {
  const problems: string[] = [];
  const [prefix, name] = key.includes('/')
    ? [key.slice(0, key.indexOf('/')), key.slice(key.indexOf('/') + 1)]
    : [undefined, key];
  if (!LABEL_NAME.test(name) || (prefix !== undefined && !isDnsName(prefix))) {
    problems.push(`${where}: invalid key "${key}"`);
  }
  if (value !== '' && !LABEL_NAME.test(value)) {
    problems.push(`${where}: invalid value "${value}" of "${key}"`);
  }
  return problems;
}

/** `value:Effect`, or only `Effect`. */
export function taintProblem(key: string, text: string): string[] {
  const at = text.indexOf(':');
  const value = at < 0 ? '' : text.slice(0, at);
  const effect = text.slice(at + 1);
  const problems = labelProblem('nodeTaints', key, value);
  if (!['NoSchedule', 'PreferNoSchedule', 'NoExecute'].includes(effect)) {
    problems.push(`nodeTaints: invalid effect "${effect}" of "${key}"`);
  }
  return problems;
}

export function subnetProblem(where: string, text: string): string[] {
  const [address, bits] = text.split('/');
  const family = isIP(address ?? '');
  const most = family === 6 ? 128 : 32;
  const ok = family !== 0 && bits !== undefined && /^\d+$/.test(bits) && Number(bits) <= most;
  return ok ? [] : [`${where}: "${text}" is not a valid subnet`];
}

export function authorityProblems(path: string, ca: { crt?: string; key?: string } | undefined): string[] {
  if (!ca?.crt) {
    return [];
  }
  if (!BASE64.test(ca.crt) || !BASE64.test(ca.key ?? '')) {
    return [`${path}: illegal base64 data`];
  }
  const problem = caProblem(decodePem(ca.crt), ca.key ? decodePem(ca.key) : undefined);
  return problem === undefined ? [] : [`${path}: ${problem}`];
}
