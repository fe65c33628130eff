import path from 'node:path';
import { writePrivate } from './data-directory.mjs';

/** Tells the person at the terminal, and the CLI through quickstart.json, how to go on. */
export function announce({ dir, ports, secrets }) {
  // The CLI finds ./.data by itself, any other directory by this.
  const at = path.relative(process.cwd(), dir) === '.data' ? '' : `QUORATE_DATA_DIR=${dir} `;
  const url = `http://127.0.0.1:${ports.http}`;
  writePrivate(path.join(dir, 'quickstart.json'), {
    url,
    tenant: 'demo',
    token: secrets.demoToken,
    operatorToken: secrets.operatorToken,
  });
  console.log(`
Quorate is ready.

  URL     ${url}
  tenant  demo
  token   ${secrets.demoToken}
  also in ${path.join(dir, 'quickstart.json')}

The machines of this installation are simulated: processes that speak the Talos and Kubernetes APIs and run no pods.

Next, in another shell:

  ${at}npx quorate template sync -f templates/managed-xs.yaml --wait
  ${at}npx quorate cluster kubeconfig demo-xs --file kubeconfig
  kubectl --kubeconfig kubeconfig get nodes -o wide

Ctrl-C stops everything; the data stays in ${dir}
`);
}
