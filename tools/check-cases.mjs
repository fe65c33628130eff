// Runs the acceptance cases of a folder (QUORATE_CASES_DIR) against their verdicts, with the built code of dist/.
// A difference is fine only when docs/compatibility.md argues it: a table row that begins with the case's id.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const dist = resolve(root, process.env.QUORATE_DIST ?? 'dist');
const verbose = process.argv.includes('--verbose');

const require = createRequire(import.meta.url);
const load = (path) => require(join(dist, 'domain', path));

const cases = process.env.QUORATE_CASES_DIR;
if (!cases || !existsSync(cases)) {
  console.log('QUORATE_CASES_DIR names no folder: no cases were run.');
  process.exit(cases ? 1 : 0);
}
if (!existsSync(join(dist, 'domain'))) {
  console.error(`${dist} holds no built code; run: npm run build`);
  process.exit(1);
}

const { parseTemplate } = load('template/parse-template');
const { checkChange, checkCreate } = load('version/check-versions');
const { DEFAULT_VERSION_POLICY } = load('version/version-policy');
const { SHIPPED_RELEASES } = load('releases/shipped-releases');

const argued = new Set(
  [
    ...readFileSync(join(root, 'docs/compatibility.md'), 'utf8').matchAll(
      /^\| *`?([A-Za-z]+\/?[0-9]+)`? *\|/gm,
    ),
  ].map((m) => m[1]),
);

/** Rows of a Markdown table whose first cell matches. */
function rowsOf(path, firstCell) {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) =>
      line
        .split(/(?<!\\)\|/)
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
    .filter(([first]) => first !== undefined && firstCell.test(first));
}

/** Every file below a folder as {relative posix path: text}, as the command line would send them. */
function filesBelow(folder, base = folder) {
  return Object.fromEntries(
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      if (statSync(path).isDirectory()) return Object.entries(filesBelow(path, base));
      return [[relative(base, path).split(sep).join('/'), readFileSync(path, 'utf8')]];
    }),
  );
}

const results = [];
const record = (id, expected, got, note) => results.push({ id, expected, got, note });
const saying = (violations) =>
  violations
    .slice(0, 3)
    .map((v) => `${v.code}${v.line ? ` ${v.file}:${v.line}:${v.column}` : ''} ${v.path}: ${v.reason}`)
    .join('\n      ');

function runTemplates() {
  const folder = join(cases, 'templates');
  if (!existsSync(folder)) return;
  const files = filesBelow(folder);
  for (const [file, , , verdict] of rowsOf(join(folder, 'INDEX.md'), /^\d+-.*\.ya?ml$/)) {
    const text = readFileSync(join(folder, file), 'utf8');
    const started = Date.now();
    const { spec, violations } = parseTemplate({ text, fileName: file, files });
    const got = spec === undefined ? 'invalid' : 'valid';
    record(`templates/${file.split('-')[0]}`, verdict.replaceAll('*', ''), got, saying(violations));
    for (const { line, column, code, reason, remedy } of violations) {
      if (!line || !column || !code || !reason || !remedy)
        record(`templates/${file.split('-')[0]}`, 'placed', 'not placed', code);
    }
    if (Date.now() - started > 2000) record(`templates/${file.split('-')[0]}`, 'quick', 'slow', '');
  }
}

/** A cluster that carries one patch; the Omni verdict is about its text, the managed one about what is reserved. */
function patchVerdict(file, text, managed) {
  const set = managed && file.includes('worker') ? '---\nkind: Workers\n' : '';
  const controlPlane = managed ? 'managed: {enabled: true}\n' : 'machineClass: {name: a, size: 1}\n';
  const template =
    'kind: Cluster\nname: a\nkubernetes: {version: v1.37.0}\ntalos: {version: v1.14.0}\n---\nkind: ControlPlane\n' +
    `${controlPlane}${set}patches:\n  - file: patch.yaml\n`;
  return parseTemplate({ text: template, fileName: file, files: { 'patch.yaml': text } });
}

function runPatches() {
  const folder = join(cases, 'patches');
  if (!existsSync(folder)) return;
  for (const [file, , omni, managed] of rowsOf(join(folder, 'INDEX.md'), /^\d+-.*\.ya?ml$/)) {
    const text = readFileSync(join(folder, file), 'utf8');
    const id = `patches/${file.split('-')[0]}`;
    const general = patchVerdict(file, text, false);
    record(id, omni, general.spec ? 'accept' : 'refuse', saying(general.violations));
    const hosted = managed.replaceAll('*', '');
    // hosted and hazard leave the choice to the platform.
    const expected = { accept: 'accept', reserved: 'refuse', invalid: 'refuse' }[hosted];
    if (expected === undefined) continue;
    const own = patchVerdict(file, text, true);
    record(
      id,
      `${expected} (managed)`,
      `${own.spec ? 'accept' : 'refuse'} (managed)`,
      saying(own.violations),
    );
  }
}

const now = new Date();
const context = { catalogue: SHIPPED_RELEASES, policy: DEFAULT_VERSION_POLICY, now, managed: false };
const VERSION = String.raw`v?\d+\.\d+\.\d+(?:-[a-z]+\.\d+)?`;
const STEP = new RegExp(`^(${VERSION}) → (${VERSION})$`);

function runVersions() {
  const path = join(cases, 'versions.md');
  if (!existsSync(path)) return;
  let kind = 'talos';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith('## ')) kind = line.includes('Kubernetes') ? 'kubernetes' : 'talos';
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (/^V\d+$/.test(cells[0] ?? '')) runVersion(kind, cells);
  }
}

function runVersion(kind, [id, step, state, verdict]) {
  const expected =
    /^(allow|refuse)/.exec(verdict)?.[1] ?? /(?:orchestrator|server|or): ?(allow|refuse)/.exec(verdict)?.[1];
  const change = STEP.exec(step);
  const pair = new RegExp(`^(?:Kubernetes )?(${VERSION}) (?:wanted )?on Talos (${VERSION})$`).exec(step);
  if (expected === undefined || (change === null && pair === null)) return;
  const violations =
    change === null ? create(pair[2], pair[1]) : changed(kind, change[1], change[2], `${state} ${verdict}`);
  record(id, expected, violations.length === 0 ? 'allow' : 'refuse', saying(violations));
}

const create = (talosVersion, kubernetesVersion) =>
  checkCreate({ talosVersion, kubernetesVersion }, context).violations;

function changed(kind, from, to, state) {
  const running = /upgrade (\S+) → (\S+) is running/.exec(state);
  const still = kind === 'talos' ? kubernetesFor(from, to) : talosFor(from, to);
  const pick = (version) =>
    kind === 'talos'
      ? { talosVersion: version, kubernetesVersion: still }
      : { talosVersion: still, kubernetesVersion: version };
  const abort = running === null ? {} : { upgradingFrom: { kubernetesVersion: running[1] } };
  const created = state.includes('created with') ? { createdWithTalos: from } : {};
  const change = { from: pick(from), to: pick(to), allowDowngrade: kind === 'talos', ...abort, ...created };
  return checkChange(change, context).violations;
}

/** A Kubernetes version that both Talos versions run, so that the row judges the step alone. */
function kubernetesFor(from, to) {
  const minor = Math.max(Number(from.split('.')[1]), Number(to.split('.')[1]));
  return `1.${minor + 19}.0`;
}

function talosFor(from, to) {
  const minor = Math.max(Number(from.split('.')[1]), Number(to.split('.')[1])) - 23;
  const known = SHIPPED_RELEASES.releases.filter(
    ({ version, withdrawn }) => version.startsWith(`1.${Math.max(8, minor)}.`) && !withdrawn,
  );
  return known.at(-1)?.version ?? '1.13.9';
}

runTemplates();
runVersions();
runPatches();

const differing = results.filter(({ expected, got }) => expected !== got);
for (const { id, expected, got, note } of differing) {
  const mark = argued.has(id) ? 'argued ' : 'DIFFERS';
  if (mark === 'DIFFERS' || verbose)
    console.log(`${mark} ${id}: expected ${expected}, got ${got}${note ? `\n      ${note}` : ''}`);
}
const open = differing.filter(({ id }) => !argued.has(id));
const stale = [...argued].filter(
  (id) => /^(templates|patches|V)/.test(id) && !differing.some((one) => one.id === id),
);
console.log(
  `${results.length} verdicts, ${results.length - differing.length} agree, ${differing.length - open.length} differ as argued, ${open.length} differ.`,
);
if (stale.length > 0) console.log(`Argued without a difference here: ${stale.join(', ')}`);
process.exit(open.length === 0 ? 0 : 1);
