// For people: looks at and pushes around the machines of a running simulator, over its control API.
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';

const USAGE = `usage: npm run simulator -- <command>
  machines list [--site SITE]
  machines add [--uuid UUID] [--site SITE] [--talos-version X.Y.Z] [--schematic ID] [--cpus N] [--count N]
  machines remove REF
  faults set KIND [--machine REF] [--delay MS]    KIND: unreachable hang slow reject-config die none
                                                  without --machine: every machine
  info
The simulator is found through simulator.json in QUORATE_DATA_DIR (default .data), which \`npm start\` writes.`;

const DEFAULT_TALOS = '1.13.9';
/** The lab of the demo tenant: its agent reports the machines there. */
const DEFAULT_SITE = 'demo-lab';

function fail(message) {
  console.error(message);
  process.exit(1);
}

function findSimulator() {
  const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
  const dir = path.resolve(process.env.QUORATE_DATA_DIR ?? path.join(root, '.data'));
  const file = path.join(dir, 'simulator.json');
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8'));
  } catch {
    return fail(
      `simulator: ${file} cannot be read. Is it running (npm start), and with this data directory?`,
    );
  }
}

async function call(method, target, body) {
  const { url, token } = findSimulator();
  let response;
  try {
    response = await fetch(url + target, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch {
    return fail(`simulator: nothing answers at ${url}. Start it with npm start.`);
  }
  const text = await response.text();
  const answer = text === '' ? undefined : JSON.parse(text);
  if (!response.ok) fail(`simulator: ${answer?.error ?? `HTTP ${response.status}`}`);
  return answer;
}

function table(rows) {
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => String(row[i]).length)));
  for (const row of rows) {
    console.log(
      row
        .map((cell, i) => String(cell).padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    );
  }
}

function show(machines) {
  const head = [
    'REF',
    'UUID',
    'SITE',
    'STATE',
    'STAGE',
    'HOSTNAME',
    'TALOS',
    'TALOS API',
    'KUBERNETES API',
    'FAULT',
  ];
  const rows = machines.map((m) => {
    const apis = [m.talosEndpoint, m.kubernetesEndpoint];
    return [m.ref, m.machineId, m.site, m.state, m.stage, m.hostname, m.talosVersion, ...apis, m.fault.kind];
  });
  table([head, ...rows]);
}

async function add(values) {
  const count = Number(values.count ?? 1);
  if (!Number.isInteger(count) || count < 1 || count > 1000) fail('simulator: --count must be 1 to 1000');
  if (values.uuid !== undefined && count > 1) fail('simulator: --uuid names one machine');
  const added = [];
  for (let i = 0; i < count; i += 1) {
    const machineId = values.uuid ?? randomUUID();
    added.push(
      await call('PUT', `/machines/${encodeURIComponent(machineId)}`, {
        machineId,
        site: values.site ?? DEFAULT_SITE,
        talosVersion: values['talos-version'] ?? DEFAULT_TALOS,
        schematicId: values.schematic,
        cpus: values.cpus === undefined ? undefined : Number(values.cpus),
      }),
    );
  }
  show(added);
}

const options = Object.fromEntries(
  ['site', 'uuid', 'talos-version', 'schematic', 'cpus', 'count', 'machine', 'delay'].map((name) => [
    name,
    { type: 'string' },
  ]),
);
let parsed;
try {
  parsed = parseArgs({
    options: { ...options, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
} catch (error) {
  fail(`simulator: ${error.message}\n${USAGE}`);
}
const { values, positionals } = parsed;
const [noun, verb, name] = positionals;
if (values.help) {
  console.log(USAGE);
} else if (noun === 'info') {
  console.log(JSON.stringify(await call('GET', '/'), null, 2));
} else if (noun === 'machines' && verb === 'list') {
  const site = values.site === undefined ? '' : `?site=${encodeURIComponent(values.site)}`;
  show((await call('GET', `/machines${site}`)).machines);
} else if (noun === 'machines' && verb === 'add') {
  await add(values);
} else if (noun === 'machines' && verb === 'remove' && name !== undefined) {
  await call('DELETE', `/machines/${encodeURIComponent(name)}`);
} else if (noun === 'faults' && verb === 'set' && name !== undefined) {
  const delayMs = values.delay === undefined ? undefined : Number(values.delay);
  await call('PUT', '/faults', { kind: name, machine: values.machine, delayMs });
} else {
  fail(USAGE);
}
