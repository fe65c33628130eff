// Jest 30 can require() ES modules only from Node 24.9 on: compile the ESM-only packages to CommonJS instead.
const esm = [
  '@nestjs',
  'cookie',
  'file-type',
  'strtok3',
  'token-types',
  'uint8array-extras',
  '@borewit',
  '@tokenizer',
];
const base = {
  testEnvironment: 'node',
  transform: { '^.+\\.[mc]?[tj]s$': '@swc/jest' },
  transformIgnorePatterns: [`/node_modules/(?!(${esm.join('|')})/)`],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/.data/'],
};
const database = {
  globalSetup: '<rootDir>/test/support/global-setup.mjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.mjs',
};
module.exports = {
  projects: [
    // Pure rules and single parts: no database, no processes.
    {
      ...base,
      displayName: 'unit',
      testMatch: [
        '<rootDir>/src/**/*.spec.ts',
        '<rootDir>/test/unit/**/*.spec.ts',
        '<rootDir>/test/conformance/**/*.spec.ts',
      ],
    },
    // Real PostgreSQL (and the queue backend of QUEUE_URL), in process.
    {
      ...base,
      ...database,
      displayName: 'integration',
      testMatch: ['<rootDir>/test/integration/**/*.spec.ts', '<rootDir>/test/isolation/**/*.spec.ts'],
    },
    // Whole processes, killed at will; slow.
    { ...base, displayName: 'e2e', testMatch: ['<rootDir>/test/e2e/**/*.spec.ts'] },
  ],
  reporters: ['default', '<rootDir>/test/support/plain-reporter.cjs'],
};
