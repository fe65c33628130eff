import { referencedFiles, templateClusterName } from './referenced-files';

test('names every file inside the folder once, of patches, manifests and health checks', () => {
  const text = `kind: Cluster
name: demo
kubernetes:
  manifests: [{file: manifests/a.yaml}]
  healthchecks: [{file: ./checks/b.yaml}]
patches: [{file: patches/c.yaml}, {file: /etc/passwd}, {file: ../d.yaml}, {name: x, inline: {file: no.yaml}}]
---
kind: Workers
patches: [{file: patches/c.yaml}, {file: patches/../e.yaml}]
`;
  expect(referencedFiles(text)).toEqual(['patches/c.yaml', 'manifests/a.yaml', 'checks/b.yaml', 'e.yaml']);
});

test.each(['', 'a: [', '- x', 'kind: Cluster\npatches: text\n', 'patches: [1, {file: {a: b}}, {file: }]'])(
  'a broken template names none: %j',
  (text) => {
    expect(referencedFiles(text)).toEqual([]);
  },
);

test.each([
  ['kind: Cluster\nname: demo\n', 'demo'],
  ['kind: Workers\n---\nkind: Cluster\nname: demo\nunknown: 1\n', 'demo'],
  ['kind: Cluster\nname: a\n---\nkind: Cluster\nname: b\n', undefined],
  ['kind: Workers\nname: demo\n', undefined],
  ['a: [', undefined],
])('%j is about the cluster %s', (text, name) => {
  expect(templateClusterName(text)).toBe(name);
});
