/** From 1.11 on a node refuses Kubernetes versions that its Talos does not support, and images without a version. */
import { versionOfImage, type V1Alpha1 } from './node-config';

/** Talos minor -> lowest and highest Kubernetes minor. */
const KUBERNETES: Readonly<Record<number, readonly [number, number]>> = {
  8: [26, 31],
  9: [27, 32],
  10: [28, 33],
  11: [29, 34],
  12: [30, 35],
  13: [31, 36],
  14: [32, 37],
};
const ENFORCED_SINCE = 11;

export function validateImages({ machine, cluster }: V1Alpha1, talosMinor: number, errors: string[]): void {
  if (talosMinor < ENFORCED_SINCE) {
    return;
  }
  const images: readonly (readonly [string, string | undefined])[] = [
    ['kubelet', machine?.kubelet?.image],
    ['kube-apiserver', cluster?.apiServer?.image],
    ['kube-controller-manager', cluster?.controllerManager?.image],
    ['kube-scheduler', cluster?.scheduler?.image],
  ];
  for (const [component, image] of images) {
    if (image !== undefined && image !== '') {
      judgeImage(component, image, talosMinor, errors);
    }
  }
}

function judgeImage(component: string, image: string, talosMinor: number, errors: string[]): void {
  const version = versionOfImage(image);
  if (version === undefined) {
    errors.push(`${component} image "${image}" is not valid: no version in its tag`);
    return;
  }
  const [major, minor] = version.split('.').map(Number);
  const [lowest, highest] = KUBERNETES[talosMinor] ?? [0, 0];
  if (major !== 1 || minor === undefined || minor < lowest) {
    errors.push(
      `${component} image is not valid: version of Kubernetes ${version} is too old to be used with Talos 1.${talosMinor}`,
    );
  } else if (minor > highest) {
    errors.push(
      `${component} image is not valid: version of Kubernetes ${version} is too new to be used with Talos 1.${talosMinor}`,
    );
  }
}
