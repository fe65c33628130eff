// The arrows of docs/architecture.md. Each comment is what the person who breaks the rule reads.
const TEST = '\\.(spec|fake)\\.ts$';

module.exports = {
  forbidden: [
    {
      name: 'domain-is-pure',
      comment:
        'A rule takes values and returns values: it imports other rules and semver, yaml or zod. Do the I/O in an adapter and pass the result (and the time) in.',
      severity: 'error',
      from: { path: '^src/domain/', pathNot: TEST },
      to: { pathNot: ['^src/domain/', '^node_modules/(semver|yaml|zod)/', '^node_modules/@types/(semver)/'] },
    },
    {
      name: 'modules-declare-ports',
      comment:
        'A context knows rules and the platform. Declare a port (an abstract class) here, implement it in src/infrastructure and bind it in src/app.',
      severity: 'error',
      from: { path: '^src/modules/', pathNot: TEST },
      to: { path: '^src/(infrastructure|gateways|reconcile|app|agent|cli|simulator|generated)/' },
    },
    {
      name: 'reconcile-knows-ports',
      comment:
        'Reconcilers know rules and ports. Declare what you need in src/reconcile/ports, implement it in src/infrastructure and bind it in src/app.',
      severity: 'error',
      from: { path: '^src/reconcile/', pathNot: TEST },
      to: { path: '^src/(infrastructure|gateways|app|agent|cli|simulator|generated/prisma)/' },
    },
    {
      name: 'gateways-know-ports',
      comment: 'Gateways are thin: they translate a protocol and call a port. Put the work behind a port.',
      severity: 'error',
      from: { path: '^src/gateways/', pathNot: TEST },
      to: { path: '^src/(infrastructure|app|agent|cli|simulator|generated/prisma)/' },
    },
    {
      name: 'adapters-serve-inwards',
      comment:
        'An adapter implements a port; it does not call those who use it. Pass what it needs into its constructor.',
      severity: 'error',
      from: { path: '^src/infrastructure/', pathNot: TEST },
      to: { path: '^src/(app|agent|cli|simulator)/' },
    },
    {
      name: 'platform-knows-no-room',
      comment:
        'The platform serves all rooms and knows none: turn the dependency around with a parameter or an interface.',
      severity: 'error',
      from: { path: '^src/platform/', pathNot: TEST },
      to: {
        path: '^src/(modules|reconcile|gateways|infrastructure|app|agent|cli|simulator|generated/prisma)/',
      },
    },
    {
      name: 'only-app-binds',
      comment:
        'Only src/app puts adapters behind ports, so that one room shows what runs. Ask for the port instead.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/app/', '^src/main\\.ts$', TEST] },
      to: { path: '^src/app/' },
    },
    {
      name: 'only-prisma-adapters-see-prisma',
      comment: 'Generated rows stay in src/infrastructure/prisma; map them to a type of the domain there.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/infrastructure/', '^src/generated/', TEST] },
      to: { path: '^src/generated/prisma/' },
    },
    {
      name: 'agent-knows-the-contract',
      comment:
        'An agent runs at a provider and knows src/generated/proto only. Its simulated provider may know the types of the simulator it is a client of.',
      severity: 'error',
      from: { path: '^src/agent/', pathNot: ['^src/agent/providers/simulated/', TEST] },
      to: { path: '^src/', pathNot: ['^src/agent/', '^src/generated/proto/'] },
    },
    {
      name: 'simulated-provider-is-a-client',
      comment:
        'The simulated provider calls the simulator over HTTP: import the types of its control API and nothing else.',
      severity: 'error',
      from: { path: '^src/agent/providers/simulated/', pathNot: TEST },
      to: { path: '^src/', pathNot: ['^src/agent/', '^src/generated/proto/', '^src/simulator/control-api/'] },
    },
    {
      name: 'cli-knows-the-api',
      comment: 'The CLI knows the server by its REST API alone; copy a type rather than import it.',
      severity: 'error',
      from: { path: '^src/cli/', pathNot: TEST },
      to: { path: '^src/', pathNot: '^src/cli/' },
    },
    {
      name: 'simulator-judges-by-itself',
      comment:
        'The simulator is a second opinion on what Talos accepts: it must not share code with the server.',
      severity: 'error',
      from: { path: '^src/simulator/', pathNot: TEST },
      to: { path: '^src/', pathNot: ['^src/simulator/', '^src/generated/proto/'] },
    },
    {
      name: 'programs-are-not-libraries',
      comment: 'Agent, CLI and simulator are processes of their own; talk to them by their protocol.',
      severity: 'error',
      from: { path: '^src/', pathNot: ['^src/(agent|cli|simulator)/', TEST] },
      to: { path: '^src/(agent|cli|simulator)/' },
    },
    {
      name: 'no-circular',
      comment:
        'Two files that load each other are one file, or share a third: move what both need there. (Types alone may point both ways.)',
      severity: 'error',
      from: { pathNot: '^src/generated/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'no-tests-in-production',
      comment: 'Test code does not ship: move what both need out of the spec.',
      severity: 'error',
      from: { path: '^src/', pathNot: TEST },
      to: { path: ['^test/', TEST] },
    },
    {
      name: 'no-dev-dependencies-in-production',
      comment: 'The image has no devDependencies: move the package to dependencies, or do without.',
      severity: 'error',
      from: { path: '^src/', pathNot: TEST },
      to: {
        dependencyTypes: ['npm-dev'],
        dependencyTypesNot: ['type-only', 'npm'],
        pathNot: '^node_modules/@types/',
      },
    },
    {
      name: 'no-unresolvable',
      comment: 'This import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    doNotFollow: { path: '^(node_modules|src/generated)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'import', 'default', 'types'],
    },
  },
};
