// npm run bench [-- B2 B6 B7]: each figure beside its baseline of the same run. Nothing here fails on a figure.
import os from 'node:os';

const BENCHES = { B2: './fleet.mjs', B6: './reconcile-throughput.mjs', B7: './planner.mjs' };

const wanted = process.argv.slice(2);
const ids = wanted.length > 0 ? wanted : Object.keys(BENCHES);
const unknown = ids.filter((id) => !(id in BENCHES));
if (unknown.length > 0) {
  console.error(`unknown: ${unknown.join(', ')}; there are ${Object.keys(BENCHES).join(', ')}`);
  process.exit(2);
}
console.log(
  `Node ${process.version}, ${os.cpus().length} x ${os.cpus()[0].model}, ${Math.round(os.totalmem() / 2 ** 30)} GiB`,
);
for (const id of ids) {
  const { run } = await import(BENCHES[id]);
  for (const { what, figure, remark } of await run())
    console.log(`${id}  ${what}: ${figure}${remark && ` (${remark})`}`);
}
