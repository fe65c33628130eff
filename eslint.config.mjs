// Typed rules and the house rules. A message says what to do instead.
import tseslint from 'typescript-eslint';

const banned = {
  processEnv: {
    selector: 'MemberExpression[object.name="process"][property.name="env"]',
    message: 'Only src/platform/config reads the environment: add a key there and inject Config.',
  },
  dateNow: {
    selector: 'CallExpression[callee.object.name="Date"][callee.property.name="now"]',
    message: 'Rules have no clock: take `now: Date` as an argument.',
  },
  newDate: {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0]',
    message: 'Rules have no clock: take `now: Date` as an argument.',
  },
  random: {
    selector: 'CallExpression[callee.object.name="Math"][callee.property.name="random"]',
    message: 'Rules are deterministic: take the random value, or its source, as an argument.',
  },
  enums: {
    selector: 'TSEnumDeclaration',
    message:
      "Write a closed set as a union: const KINDS = ['a', 'b'] as const; type Kind = (typeof KINDS)[number].",
  },
  defaultExport: {
    selector: 'ExportDefaultDeclaration',
    message: 'Export by name: it is found by search and renamed by tools.',
  },
  barrel: {
    selector: 'ExportAllDeclaration',
    message: 'No barrels: import from the file that owns the name.',
  },
};

const everywhere = [banned.enums, banned.defaultExport, banned.barrel];
const restrict = (...rules) => ['error', ...rules];

export default tseslint.config(
  {
    ignores: [
      '**/*.{cjs,mjs,js}',
      'dist/**',
      'dist.next/**',
      'src/generated/**',
      '.data/**',
      'prisma.config.ts',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      curly: 'error',
      eqeqeq: 'error',
      'max-lines': ['error', { max: 400 }],
      'no-console': 'error',
      'no-restricted-syntax': restrict(...everywhere, banned.processEnv),
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      // Nest: modules and DTOs are classes with decorators and little else.
      '@typescript-eslint/no-extraneous-class': ['error', { allowWithDecorator: true, allowEmpty: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-confusing-void-expression': [
        'error',
        { ignoreArrowShorthand: true, ignoreVoidOperator: true, ignoreVoidReturningFunctions: true },
      ],
      // Flags NestFactory.create(X, {...}) and every port that is an abstract class.
      '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
      '@typescript-eslint/no-dynamic-delete': 'off',
      // An `interface` for each argument object would say nothing more.
      '@typescript-eslint/unified-signatures': 'off',
    },
  },
  {
    files: ['src/domain/**/*.ts'],
    ignores: ['**/*.spec.ts'],
    rules: {
      'no-restricted-syntax': restrict(...Object.values(banned)),
      'no-restricted-globals': [
        'error',
        ...['process', 'fetch', 'setTimeout', 'setInterval', 'setImmediate', 'Buffer'].map((name) => ({
          name,
          message: 'Rules do no I/O and know no platform: do it in an adapter and hand the value in.',
        })),
      ],
    },
  },
  {
    // The mains of processes of their own, and the one reader of the server's environment.
    files: [
      'src/platform/config/**',
      'src/main.ts',
      'src/{agent,simulator,cli,app}/**/*main*.ts',
      'src/app/seed.ts',
      'src/cli/**',
      'src/simulator/etcd/etcd-process.ts',
    ],
    rules: { 'no-restricted-syntax': restrict(...everywhere) },
  },
  {
    // A command's code is loaded when it is called: `import()` would want a file suffix, which sources here do not have.
    files: ['src/cli/main.ts', 'src/cli/program/**'],
    rules: { '@typescript-eslint/no-require-imports': 'off' },
  },
  {
    // Programs whose output people read.
    files: ['src/cli/**', 'src/{agent,simulator}/main.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    files: ['**/*.{spec,fake}.ts', 'test/**/*.ts'],
    rules: {
      'no-restricted-syntax': restrict(...everywhere),
      'max-lines': 'off',
      'no-console': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/unbound-method': 'off',
      '@typescript-eslint/no-empty-function': 'off',
      '@typescript-eslint/explicit-module-boundary-types': 'off',
    },
  },
);
