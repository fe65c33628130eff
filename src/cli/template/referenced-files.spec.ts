import { clusterNameOf, insidePath, referencedFiles } from './referenced-files';

test.each([
  ['patches/a.yaml', 'patches/a.yaml'],
  ['./patches//a.yaml', 'patches/a.yaml'],
  ['patches/../a.yaml', 'a.yaml'],
  ['../a.yaml', undefined],
  ['a/../../b', undefined],
  ['/etc/passwd', undefined],
  ['~/x', undefined],
  ['C:\\x', undefined],
  ['https://x/y', undefined],
  ['a\\b', undefined],
  ['.', undefined],
])('%p -> %p', (written, path) => expect(insidePath(written)).toBe(path));

test('files are named by patches, manifests and health checks, and nowhere else', () => {
  const text = `
kind: Cluster
name: shop
kubernetes:
  manifests: [{name: m, file: manifests/m.yaml}]
  healthchecks: [{name: h, file: checks/h.yaml}]
patches:
  - &shared {name: a, file: patches/a.yaml}
  - inline: {machine: {files: [{file: not-this.yaml}]}, patches: [{file: nor-this.yaml}]}
---
kind: Workers
patches: [{file: patches/b.yaml}, {file: ./patches/a.yaml}]
other: {file: nor-that.yaml}
`;
  expect(referencedFiles(text)).toEqual([
    'patches/a.yaml',
    'manifests/m.yaml',
    'checks/h.yaml',
    'patches/b.yaml',
  ]);
});

test('aliases are followed; what is no YAML names nothing', () => {
  expect(referencedFiles('x: &p [{file: a.yaml}]\npatches: *p\n')).toEqual(['a.yaml']);
  expect(referencedFiles('a: [b')).toEqual([]);
  expect(referencedFiles('\tx: 1')).toEqual([]);
  expect(referencedFiles('')).toEqual([]);
});

test.each([
  ['kind: Cluster\nname: shop\n', 'shop'],
  ['\uFEFFkind: Cluster\r\nname: shop\r\n---\r\nkind: Workers\r\nname: w\r\n', 'shop'],
  ['kind: Cluster\nname: a\n---\nkind: Cluster\nname: b\n', undefined],
  ['kind: Workers\nname: w\n', undefined],
  ['just text', undefined],
])('the cluster of %p is %p', (text, name) => expect(clusterNameOf(text)).toBe(name));
