// Which processes an embedded installation consists of, and what each of them is told.
import path from 'node:path';

const HOST = '127.0.0.1';

/** The parent's environment goes along: LOG_LEVEL, MANAGED_CONTROL_PLANES, QUEUE_URL and the like may be set there. */
const inherit = (env) => ({ ...process.env, ...env });

export function serverEnv({ ports, secrets, databaseUrl }) {
  const as = (role) => {
    const url = new URL(databaseUrl);
    url.username = role;
    url.password = secrets.passwords[role];
    return url.toString();
  };
  return inherit({
    LISTEN_HOST: HOST,
    HTTP_PORT: String(ports.http),
    PROVIDER_PORT: String(ports.providers),
    KUBE_GATEWAY_PORT: String(ports.kube),
    PUBLIC_URL: `http://${HOST}:${ports.http}`,
    KUBE_GATEWAY_ADDRESS: `${HOST}:${ports.kube}`,
    DISCOVERY_URL: `http://${HOST}:${ports.discovery}/`,
    DATABASE_URL: as('quorate_app'),
    DATABASE_SYSTEM_URL: as('quorate_system'),
    SECRETS_KEY: secrets.secretsKey,
  });
}

export function simulatorEnv({ ports, secrets, dir }) {
  return inherit({
    SIMULATOR_HOST: HOST,
    SIMULATOR_PORT: String(ports.simulator),
    SIMULATOR_DISCOVERY_PORT: String(ports.discovery),
    SIMULATOR_TOKEN: secrets.simulatorToken,
    SIMULATOR_STATE_DIR: path.join(dir, 'simulator'),
  });
}

/** One agent per provider of the demo: `platform` is the hidden one, `demo-lab` belongs to the demo tenant. */
export function agentEnv(provider, { ports, secrets, dir, caFile }) {
  return inherit({
    AGENT_NAME: `${provider}-1`,
    AGENT_ENDPOINT: `localhost:${ports.providers}`,
    AGENT_CA_FILE: caFile,
    AGENT_JOIN_TOKEN: secrets.joinTokens[provider],
    AGENT_STATE_DIR: path.join(dir, 'agents', provider),
    AGENT_SITE: provider,
    SIMULATOR_URL: `http://${HOST}:${ports.simulator}`,
    SIMULATOR_TOKEN: secrets.simulatorToken,
  });
}
