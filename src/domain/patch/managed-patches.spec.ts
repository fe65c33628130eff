import { managedPatches } from './managed-patches';

test.each([
  ['1.8.1', 'control-plane', 'machine:\n  network:\n    kubespan:'],
  ['1.12.11', 'worker', 'machine:\n  network:\n    kubespan:'],
  ['1.13.0', 'worker', 'kind: KubeSpanConfig'],
  ['1.13.0-rc.1', 'control-plane', 'kind: KubeSpanConfig'],
  ['1.14.0', 'control-plane', 'kind: KubeSpanConfig'],
] as const)('KubeSpan is on with Talos %s on a %s', (talosVersion, role, expected) => {
  expect(managedPatches({ role, talosVersion })[0]).toMatchObject({
    name: 'managed-kubespan',
    weight: 900,
    origin: 'managed',
    content: expect.stringContaining(expected),
  });
});

test('metrics are opened on control planes only: workers have no section for them', () => {
  const names = (role: 'control-plane' | 'worker'): string[] =>
    managedPatches({ role, talosVersion: '1.13.9' }).map(({ name }) => name);
  expect(names('control-plane')).toEqual(['managed-kubespan', 'managed-metrics']);
  expect(names('worker')).toEqual(['managed-kubespan']);
});
