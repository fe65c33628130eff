import { readMainOptions } from './read-main-options';

const env = {
  AGENT_ENDPOINT: 'localhost:8443',
  AGENT_CA_FILE: '/ca.pem',
  AGENT_JOIN_TOKEN: 'secret-token',
  AGENT_NAME: 'lab-1',
  AGENT_STATE_DIR: '/state',
  AGENT_SITE: 'lab',
  SIMULATOR_URL: 'http://127.0.0.1:9000',
  SIMULATOR_TOKEN: 'secret-too',
};

describe(readMainOptions.name, () => {
  it('has defaults for what may be absent', () => {
    expect(readMainOptions(env)).toMatchObject({ provider: 'simulated', maxInFlight: 10, logLevel: 'info' });
  });

  it('names all problems at once, without the values', () => {
    const wrong = {
      ...env,
      AGENT_ENDPOINT: 'https://localhost',
      AGENT_NAME: '',
      AGENT_MAX_IN_FLIGHT: '0',
      AGENT_PROVIDER: 'moon',
    };
    expect(() => readMainOptions(wrong)).toThrow(
      [
        'the agent cannot start:',
        '  AGENT_PROVIDER must be one of simulated',
        '  AGENT_MAX_IN_FLIGHT must be a whole number from 1 to 1000',
        '  AGENT_ENDPOINT must be host:port',
        '  AGENT_NAME is not set',
      ].join('\n'),
    );
  });
});
