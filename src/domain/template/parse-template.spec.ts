import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseTemplate, type ParsedTemplate } from './parse-template';

const A = '11111111-1111-1111-1111-111111111111';
const B = '22222222-2222-2222-2222-222222222222';
const CLUSTER = 'kind: Cluster\nname: demo\nkubernetes: {version: v1.36.2}\ntalos: {version: v1.13.9}\n';
const MANAGED = '---\nkind: ControlPlane\nmanaged: {enabled: true}\n';
const OWN = `---\nkind: ControlPlane\nmachines: [${A}]\n`;

const parse = (text: string, files: Record<string, string> = {}): ParsedTemplate =>
  parseTemplate({ text, fileName: 'demo.yaml', files });
/** `CODE line:column`, sorted as reported. */
const said = (result: ParsedTemplate): string[] =>
  result.violations.map(({ code, line, column }) => `${code} ${line}:${column}`);
const codes = (result: ParsedTemplate): string[] => result.violations.map(({ code }) => code);

describe('a managed control plane', () => {
  test('needs nothing but enabled', () => {
    expect(parse(CLUSTER + MANAGED)).toMatchObject({
      violations: [],
      warnings: [],
      spec: {
        name: 'demo',
        talosVersion: '1.13.9',
        kubernetesVersion: '1.36.2',
        features: { backupIntervalSeconds: 3600 },
        controlPlane: {
          name: 'control-planes',
          source: { kind: 'managed', provider: 'default', size: 'xs' },
        },
        workers: [],
        machines: [],
      },
    });
  });

  test.each([
    ['machines', `machines: [${A}]`],
    ['machineClass', 'machineClass: {name: a, size: 1}'],
    ['systemExtensions', 'systemExtensions: []'],
    ['kernelArgs', 'kernelArgs: [a]'],
    ['upgradeStrategy', 'upgradeStrategy: {rolling: {maxParallelism: 1}}'],
  ])('excludes %s', (field, line) => {
    expect(parse(`${CLUSTER}${MANAGED}${line}\n`).violations).toMatchObject([
      { code: 'MANAGED_EXCLUDES', path: `ControlPlane.${field}`, line: 8 },
    ]);
  });

  test('allows an empty list of machines, labels and patches that touch nothing reserved', () => {
    const patches = 'patches:\n  - name: a\n    inline: {machine: {sysctls: {a: b}}}\n';
    expect(codes(parse(`${CLUSTER}${MANAGED}machines: []\nlabels: {a: b}\n${patches}`))).toEqual([]);
  });

  test.each([
    ['managed: {enable: true}', 'UNKNOWN_FIELD', 'Write managed.enabled: true (with a d).'],
    ['managed: {size: xs}', 'REQUIRED', expect.stringContaining('managed.enabled: true')],
    ['managed: {enabled: true, size: xxl}', 'TIER_UNKNOWN', expect.stringContaining('xs (1), s (1), m (3)')],
    ['managed: {enabled: maybe}', 'WRONG_TYPE', expect.anything()],
    ['managed: {enabled: true, provider: "a b"}', 'PROVIDER_NAME', expect.anything()],
    ['managed: {enabled: false}', 'CONTROL_PLANE_EMPTY', expect.anything()],
    ['managed: true', 'WRONG_TYPE', expect.anything()],
  ])('%s is refused as %s', (line, code, remedy) => {
    const { violations } = parse(`${CLUSTER}---\nkind: ControlPlane\n${line}\n`);
    expect(violations[0]).toMatchObject({ code, remedy });
  });

  test('is still understood in its older spelling, with the exact replacement', () => {
    const { spec, warnings } = parse(`${CLUSTER}features: {managedControlPlanes: {enabled: true}}\n`);
    expect(spec?.controlPlane.source).toEqual({ kind: 'managed', provider: 'default', size: 'xs' });
    expect(warnings).toMatchObject([{ code: 'DEPRECATED_SPELLING', line: 5 }]);
    expect(warnings[0]?.remedy).toContain(
      'kind: ControlPlane\nmanaged:\n  enabled: true\n  provider: default\n  size: xs',
    );
  });

  test.each([OWN, MANAGED])('refuses the older spelling beside a ControlPlane document', (controlPlane) => {
    const text = `${CLUSTER}features: {managedControlPlanes: {enabled: true}}\n${controlPlane}`;
    expect(codes(parse(text))).toEqual(['MANAGED_TWICE']);
  });
});

describe('patches', () => {
  const patch = (inline: string, set = MANAGED): ParsedTemplate =>
    parse(`${CLUSTER}${set}patches:\n  - name: a\n    inline:\n      ${inline}\n`);
  const WORKERS = `${MANAGED}---\nkind: Workers\n`;

  test.each([
    ['{cluster: {controlPlane: {endpoint: "https://a"}}}', MANAGED, 'cluster.controlPlane'],
    ['{cluster: {etcd: {extraArgs: {a: b}}}}', MANAGED, 'cluster.etcd'],
    ['{machine: {network: {kubespan: {enabled: false}}}}', MANAGED, 'machine.network.kubespan'],
    [
      '{machine: {network: {interfaces: [{interface: a, vip: {ip: 192.0.2.1}}]}}}',
      MANAGED,
      'machine.network.interfaces[].vip',
    ],
    ['{machine: {install: {image: a}}}', MANAGED, 'machine.install'],
    ['{machine: {network: {hostname: a}}}', MANAGED, 'machine.network.hostname'],
    ['{apiVersion: v1alpha1, kind: HostnameConfig, hostname: a}', MANAGED, 'HostnameConfig'],
    ['{machine: {systemDiskEncryption: {}}}', MANAGED, 'machine.systemDiskEncryption'],
    ['{apiVersion: v1alpha1, kind: VolumeConfig, name: STATE}', MANAGED, 'VolumeConfig'],
    ['{machine: {disks: []}}', MANAGED, 'machine.disks'],
    ['{apiVersion: v1alpha1, kind: UserVolumeConfig, name: a}', MANAGED, 'UserVolumeConfig'],
    ['{machine: {features: {rbac: false}}}', OWN, 'machine.features.rbac'],
    ['{machine: {install: {$patch: delete}}}', MANAGED, 'machine.install'],
    ['{apiVersion: v1alpha1, kind: KubeSpanConfig, enabled: false}', MANAGED, 'KubeSpanConfig'],
    ['{cluster: {discovery: {enabled: false}}}', WORKERS, 'cluster.discovery'],
    ['{cluster: {serviceAccount: {}}}', WORKERS, 'cluster.serviceAccount'],
    ['{machine: {token: a}}', OWN, 'machine.token'],
    ['{cluster: {secret: ""}}', OWN, 'cluster.secret'],
    ['{machine: {install: {disk: /dev/sda}}}', OWN, 'machine.install.disk'],
    [
      '{machine: {features: {kubernetesTalosAPIAccess: {allowedRoles: [os:admin]}}}}',
      OWN,
      expect.stringContaining('os:admin'),
    ],
  ])('%s is reserved', (inline, set, field) => {
    const { violations } = patch(inline, set);
    const path = typeof field === 'string' ? expect.stringContaining(field) : field;
    expect(violations).toMatchObject([{ code: 'PATCH_RESERVED_FIELD', path, file: 'demo.yaml' }]);
  });

  test.each([
    ['{cluster: {etcd: {extraArgs: {a: b}}}}', OWN],
    ['{machine: {network: {kubespan: {enabled: true}}}}', OWN],
    ['{machine: {install: {extraKernelArgs: [a]}}}', WORKERS],
    ['{machine: {features: {kubernetesTalosAPIAccess: {allowedRoles: [os:reader]}}}}', OWN],
    ['{machine: }', OWN],
  ])('%s is fine', (inline, set) => {
    expect(codes(patch(inline, set))).toEqual([]);
  });

  test('of the whole cluster reach a managed control plane, and the remedy says where they may go', () => {
    const text = `${CLUSTER}patches:\n  - name: a\n    inline: {machine: {disks: []}}\n${MANAGED}`;
    expect(parse(text).violations).toMatchObject([{ remedy: expect.stringContaining('patches of Workers') }]);
  });

  test.each([
    ['[{op: add, path: /a, value: b}]', 'PATCH_JSON6902'],
    ['{machine: {interfaces: []}}', 'PATCH_UNKNOWN_FIELD'],
    ['{kind: HostnameConfig, auto: off}', 'PATCH_API_VERSION'],
    ['{apiVersion: v1alpha1, kind: hostnameConfig, auto: off}', 'PATCH_KIND_UNKNOWN'],
    ['{apiVersion: v1alpha1, kind: SysctlConfig}', 'PATCH_KIND_TOO_NEW'],
    ['{machine: {install: {image: "a/b:v1.12.0"}}}', 'PATCH_INSTALLER_TAG'],
    ['text', 'PATCH_NOT_A_MAPPING'],
    ['"# only a comment"', 'PATCH_EMPTY'],
    ['[{machine: {}}, {machine: {}}]', 'PATCH_REPEATED_DOCUMENT'],
  ])('%s is refused as %s', (inline, code) => {
    expect(codes(patch(inline, OWN))).toEqual([code]);
  });

  test('keep the spelling of their values', () => {
    const inline = '{machine: {sysctls: {a: off, b: 0o644, c: 1.30, d: "1", e: null}}}';
    const content = patch(inline, OWN).spec?.controlPlane.patches[0]?.content;
    expect(content).toMatch(/a: off[\s\S]*b: 0o644[\s\S]*c: 1\.30[\s\S]*d: "1"[\s\S]*e: null/);
  });

  test('in a literal block are placed in the template, in a file in that file', () => {
    const literal = `${CLUSTER}${OWN}patches:\n  - name: a\n    inline: |\n      machine:\n        token: b\n`;
    expect(parse(literal).violations).toMatchObject([{ file: 'demo.yaml', line: 12 }]);
    const file = `${CLUSTER}${OWN}patches:\n  - file: ./patches//a.yaml\n`;
    const { violations } = parse(file, { 'patches/a.yaml': 'machine:\n  token: b\n' });
    expect(violations).toMatchObject([{ file: 'patches/a.yaml', line: 2, column: 3 }]);
  });

  test('need a name when they are inline, and take the name of their file', () => {
    const list = 'patches:\n  - inline: {machine: {}}\n';
    expect(codes(parse(`${CLUSTER}${OWN}${list}`))).toEqual(['PATCH_NAME']);
    const twice = 'patches:\n  - file: a.yaml\n  - file: a.yaml\n';
    const { spec } = parse(`${CLUSTER}${OWN}${twice}`, { 'a.yaml': 'machine: {}\n' });
    expect(spec?.controlPlane.patches.map(({ name }) => name)).toEqual(['a.yaml', 'a.yaml#2']);
  });
});

describe('files', () => {
  test.each([
    ['/etc/passwd', 'FILE_ABSOLUTE'],
    ['C:/a.yaml', 'FILE_ABSOLUTE'],
    ['~/a.yaml', 'FILE_ABSOLUTE'],
    ['file:///etc/passwd', 'FILE_ABSOLUTE'],
    ['../a.yaml', 'FILE_OUTSIDE'],
    ['patches/../../a.yaml', 'FILE_OUTSIDE'],
    ['patches\\a.yaml', 'FILE_NAME'],
    ['.', 'FILE_NAME'],
    ['a.yaml', 'FILE_MISSING'],
    ['constructor', 'FILE_MISSING'],
  ])('%s is refused as %s', (file, code) => {
    const files = { '../a.yaml': 'machine: {}', '/etc/passwd': 'machine: {}' };
    expect(codes(parse(`${CLUSTER}${OWN}patches:\n  - file: '${file}'\n`, files))).toEqual([code]);
  });

  test('file and inline exclude each other, and one of them is needed', () => {
    const patches = 'patches:\n  - {name: a, file: a.yaml, inline: {machine: {}}}\n  - {name: b}\n';
    expect(codes(parse(`${CLUSTER}${OWN}${patches}`))).toEqual(['CONTENT_TWICE', 'CONTENT_MISSING']);
  });

  test('one that is named too often is refused by the sum', () => {
    const patches = '  - file: a.yaml\n'.repeat(20);
    const files = { 'a.yaml': `machine: {sysctls: {a: "${'x'.repeat(900_000)}"}}\n` };
    expect(codes(parse(`${CLUSTER}${OWN}patches:\n${patches}`, files))).toContain('CONTENT_TOO_LARGE');
  });
});

describe('the stream', () => {
  test.each<[string, string, string[]]>([
    ['CRLF line ends', (CLUSTER + MANAGED).replaceAll('\n', '\r\n'), []],
    ['a byte order mark', `\ufeff${CLUSTER}${MANAGED}`, []],
    ['comments before the first separator', `# a\n---\n${CLUSTER}${MANAGED}`, []],
    ['a commented separator', `${CLUSTER}${MANAGED}# ---\n# kind: Workers\n`, []],
    ['an end marker and a comment', `${CLUSTER}${MANAGED}...\n# end\n`, []],
    ['no end of line at the end', `${CLUSTER}${MANAGED}`.trimEnd(), []],
    ['a trailing empty document', `${CLUSTER}${MANAGED}---\n# nothing\n`, ['DOCUMENT_EMPTY 8:4']],
    ['a duplicate key', `${CLUSTER}name: other\n${MANAGED}`, ['DUPLICATE_KEY 5:1']],
    ['a tab', `kind: Cluster\ntalos:\n\tversion: v1.13.9\n`, ['YAML_TAB 3:1']],
    [
      'an indented separator',
      ' kind: Cluster\n name: a\n ---\n kind: ControlPlane\n',
      ['YAML_SYNTAX 3:2', 'YAML_INDENTED_SEPARATOR 3:2'],
    ],
    ['an unrendered loop', `kind: Cluster\n{% for x in y %}\n`, ['YAML_SYNTAX 2:2']],
    [
      'an unrendered value',
      `${CLUSTER.replace('demo', '{{ name }}')}${MANAGED}`,
      ['YAML_KEY 2:8', 'WRONG_TYPE 2:7'],
    ],
    ['a tag', `${CLUSTER}labels: {a: !secret b}\n${MANAGED}`, ['YAML_TAG 5:13']],
    ['an unknown kind', `${CLUSTER}${MANAGED}---\nkind: MachineSet\n`, ['KIND_UNKNOWN 9:7']],
    ['a wrong case', `${CLUSTER}${MANAGED}---\nKind: Workers\n`, ['KIND_MISSING 9:1']],
    [
      'an anchor of another document',
      `${CLUSTER}labels: &a {x: y}\n${MANAGED}labels: *a\n`,
      ['YAML_UNKNOWN_ANCHOR 9:9'],
    ],
    ['an alias in itself', `${CLUSTER}labels: &a {x: *a}\n${MANAGED}`, ['YAML_ALIAS_LOOP 5:16']],
    ['a NUL', `${CLUSTER}labels: {x: "\\0"}\n${MANAGED}`, ['YAML_CHARACTER 5:13']],
    ['no Cluster', MANAGED, ['CLUSTER_MISSING 2:1']],
    ['two control planes', CLUSTER + MANAGED + OWN, ['DOCUMENT_TWICE 9:1']],
    ['no control plane', CLUSTER, ['CONTROL_PLANE_MISSING 1:1']],
    ['a list', '- a\n', ['WRONG_TYPE 1:1', 'CLUSTER_MISSING 1:1', 'CONTROL_PLANE_MISSING 1:1']],
    ['nothing', '', ['DOCUMENT_EMPTY 1:1', 'CLUSTER_MISSING 1:1', 'CONTROL_PLANE_MISSING 1:1']],
  ])('%s', (_, text, expected) => {
    expect(said(parse(text)).sort()).toEqual([...expected].sort());
  });

  test('resolves anchors and merge keys inside a document; own keys win', () => {
    const labels = 'labels: &l {a: "1", b: "2"}\nannotations: {<<: *l, b: "3"}\n';
    expect(parse(CLUSTER + labels + MANAGED).spec).toMatchObject({ annotations: { a: '1', b: '3' } });
  });

  test.each<[string, string, string]>([
    ['more than 1 MiB', 'a'.repeat(2 ** 20 + 1), 'YAML_TOO_LARGE'],
    ['100,000 lines', 'a: b\n'.repeat(100_000), 'YAML_TOO_LARGE'],
    ['a text of tiny parts', '!a '.repeat(300_000), 'YAML_TOO_LARGE'],
    ['a tower of brackets', '['.repeat(500_000), 'YAML_DEPTH'],
    ['a staircase', '- '.repeat(200_000), 'YAML_DEPTH'],
    [
      'deep indentation',
      Array.from({ length: 100 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      'YAML_DEPTH',
    ],
    ['a bomb of aliases', bomb(), 'YAML_ALIAS_LIMIT'],
  ])('refuses %s', (_, text, code) => {
    expect(codes(parse(text))).toContain(code);
  });

  function bomb(): string {
    const level = (i: number): string =>
      `l${i}: &l${i} [${Array(10)
        .fill(`*l${i - 1}`)
        .join(',')}]`;
    return ['l0: &l0 [x,x,x,x,x,x,x,x,x,x]', ...Array.from({ length: 9 }, (_, i) => level(i + 1))].join('\n');
  }

  test('never throws, whatever the text; every fault has a place, a reason and a remedy', () => {
    const piece = fc.constantFrom(
      ...[
        'kind: Cluster\n',
        '---\n',
        'name: ',
        'patches:\n',
        '  - ',
        'inline: |\n',
        '&a ',
        '*a',
        '{',
        '}',
        '[',
        ']',
        '"',
        "'",
      ],
      ...[
        '\n',
        ' ',
        '\t',
        ': ',
        '!x ',
        '<<: ',
        '? ',
        '$patch: delete\n',
        'machines: ',
        '\u0000',
        '\ud800',
        'managed: {enabled: true}\n',
      ],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
        for (const violation of parse(pieces.join('')).violations) {
          expect(violation).toMatchObject({ line: expect.any(Number), column: expect.any(Number) });
          expect(violation.reason && violation.remedy && violation.code).toBeTruthy();
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('values', () => {
  test.each<[string, string, string[]]>([
    ['a Talos version without v', CLUSTER.replace('v1.13.9', '1.13.9'), ['TALOS_VERSION_PREFIX']],
    ['a version that is none', CLUSTER.replace('v1.36.2', 'vN.2'), ['VERSION_SYNTAX']],
    ['blanks in the name', CLUSTER.replace('demo', 'my demo'), ['NAME']],
    ['a placeholder as name', CLUSTER.replace('demo', '${NAME}'), ['NAME']],
    ['an unknown feature', `${CLUSTER}features: {diskencryption: true}\n`, ['UNKNOWN_FIELD']],
    ['a lock on the cluster', `${CLUSTER}locked: true\n`, ['UNKNOWN_FIELD']],
    ['a reserved annotation', `${CLUSTER}annotations: {omni.sidero.dev/a: b}\n`, ['RESERVED_PREFIX']],
    [
      'a backup interval of a minute',
      `${CLUSTER}features: {backupConfiguration: {interval: 1m}}\n`,
      ['DURATION_RANGE'],
    ],
    [
      'an interval that is none',
      `${CLUSTER}features: {backupConfiguration: {interval: hourly}}\n`,
      ['DURATION'],
    ],
    [
      'encryption on a Talos that cannot',
      `${CLUSTER.replace('v1.13.9', 'v1.4.0')}features: {diskEncryption: true}\n`,
      ['ENCRYPTION_TALOS'],
    ],
  ])('%s', (_, cluster, expected) => {
    expect(codes(parse(cluster + MANAGED))).toEqual(expected);
  });

  test.each<[string, string[]]>([
    ['machineClass: {name: a, size: 3}', []],
    ['machineClass: {name: a, size: unlimited}', []],
    ['machineClass: {name: a, size: ∞}', []],
    ['machineClass: {name: a, size: 12e}', ['MACHINE_COUNT']],
    ['machineClass: {name: a, size: 0x10}', ['MACHINE_COUNT']],
    ['machineClass: {name: a, size: Static}', ['MACHINE_COUNT']],
    ['machineClass: {name: a, size: -1}', ['MACHINE_COUNT']],
    ['machineClass: {name: a, size: 3}\nmachines: []', []],
    [`machineClass: {name: a, size: 3}\nmachines: [${A}]`, ['MACHINES_AND_CLASS']],
    ['machineClass: {name: a, size: 3}\nkernelArgs: [a]', ['KERNEL_ARGS_WITH_CLASS']],
    ['machinesClass: [a]', ['UNKNOWN_FIELD']],
    ['name: control-planes', ['NAME_RESERVED']],
    [`machines: [${A}, ${A}]`, ['MACHINE_TWICE']],
    ['machines: [abc]', ['MACHINE_ID']],
    ['updateStrategy: {rolling: {maxParallelism: 0}}', ['PARALLELISM']],
    ['updateStrategy: {type: Unset}', []],
    ['bootstrapSpec: {clusterUUID: a, snapshot: b}', ['UNKNOWN_FIELD']],
    ['managed: {enabled: true}', ['UNKNOWN_FIELD']],
  ])('Workers with %s', (lines, expected) => {
    expect(codes(parse(`${CLUSTER}${MANAGED}---\nkind: Workers\n${lines}\n`))).toEqual(expected);
  });

  test('texts stay as they were written: labels are texts, versions no numbers, null and [] differ', () => {
    const cluster = CLUSTER.replace('v1.36.2', '1.30').replace('v1.13.9', 'v1.7');
    const text = `${cluster}labels: {a: true, b: 1.0, c: , d: " x "}\nkernelArgs: []\nsystemExtensions:\n${MANAGED}`;
    const { spec } = parse(text);
    expect(spec).toMatchObject({ kubernetesVersion: '1.30', talosVersion: '1.7', kernelArgs: [] });
    expect(spec?.labels).toEqual({ a: 'true', b: '1.0', c: '', d: 'x' });
    expect(spec).not.toHaveProperty('systemExtensions');
  });
});

describe('the whole', () => {
  const WORKERS = `---\nkind: Workers\nmachines: [${B}]\n`;

  test.each<[string, string, string[]]>([
    ['a machine in two sets', `---\nkind: Workers\nmachines: [${A}]\n`, ['MACHINE_IN_TWO_SETS']],
    ['two sets of one name', '---\nkind: Workers\n---\nkind: Workers\nname: workers\n', ['DUPLICATE_SET']],
    ['a Machine that no set lists', `---\nkind: Machine\nname: ${B}\n`, ['MACHINE_UNUSED']],
    [
      'a locked control-plane machine',
      `---\nkind: Machine\nname: ${A}\nlocked: true\n`,
      ['LOCKED_CONTROL_PLANE'],
    ],
    ['a locked worker', `${WORKERS}---\nkind: Machine\nname: ${B}\nlocked: true\n`, []],
    [
      'two Machine documents for one',
      `---\nkind: Machine\nname: ${A}\n---\nkind: Machine\nname: ${A}\n`,
      ['DUPLICATE_MACHINE'],
    ],
    [
      'disk and selector',
      `---\nkind: Machine\nname: ${A}\ninstall: {disk: a, diskSelector: b}\n`,
      ['INSTALL_TWICE'],
    ],
  ])('%s', (_, rest, expected) => {
    expect(codes(parse(CLUSTER + OWN + rest))).toEqual(expected);
  });

  test.each([
    [`machines: [${A}, ${B}]`, '2 control-plane machines'],
    ['machineClass: {name: a, size: 0}', '0 machines'],
    ['machineClass: {name: a, size: unlimited}', 'unlimited'],
  ])('warns of %s', (source, reason) => {
    const { spec, warnings } = parse(`${CLUSTER}---\nkind: ControlPlane\n${source}\n`);
    expect(spec).toBeDefined();
    expect(warnings).toMatchObject([
      { code: 'CONTROL_PLANE_COUNT', reason: expect.stringContaining(reason) },
    ]);
  });

  test('all faults are told at once, in order', () => {
    const text = `kind: Cluster\nname: a b\nkubernetes: {version: x}\ntalos: {}\nextra: 1\n${OWN}name: c\n---\nkind: Machine\nname: d\n`;
    expect(said(parse(text))).toEqual([
      'NAME 2:7',
      'VERSION_SYNTAX 3:23',
      'REQUIRED 4:8',
      'UNKNOWN_FIELD 5:1',
      'UNKNOWN_FIELD 9:1',
      'MACHINE_ID 12:7',
    ]);
  });

  test('places are remembered for the rules that come after', () => {
    const result = parse(CLUSTER + MANAGED);
    expect(result.locate('Cluster.talos.version')).toEqual({ file: 'demo.yaml', line: 4, column: 18 });
    expect(result.locate('Cluster.nothing')).toBeUndefined();
  });
});

test.each(['managed-xs', 'managed-ha', 'reference'])(
  'templates/%s.yaml is valid and draws no warning',
  (name) => {
    const text = readFileSync(join(__dirname, '../../../templates', `${name}.yaml`), 'utf8');
    expect(parse(text)).toMatchObject({
      violations: [],
      warnings: [],
      spec: { controlPlane: { source: { kind: 'managed' } } },
    });
  },
);
