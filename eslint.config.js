import regexp from 'eslint-plugin-regexp'
import svelte from 'eslint-plugin-svelte'
import tseslint from 'typescript-eslint'
import modules from './modules.plugin.js'
import svelteConfig from './svelte.config.js'

/**
 * Rules that need types. They apply only to Svelte components. The TypeScript files are checked by oxlint
 * (.oxlintrc.json), which needs a tenth of ESLint's time.
 */
const typed = tseslint.configs.strictTypeChecked
  .filter(({ name }) => name !== 'typescript-eslint/eslint-recommended')
  .map((config) => ({ ...config, files: ['**/*.svelte'] }))

export default tseslint.config(
  {
    ignores: ['node_modules/', 'out/', 'dist/', 'src/messages/', '**/*.{js,cjs,mjs,ts}', '!**/*.svelte.ts'],
  },
  ...typed,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
  },
  {
    files: ['**/*.svelte'],
    plugins: { modules, regexp },
    languageOptions: {
      parserOptions: {
        parser: tseslint.parser,
        svelteConfig,
        project: './src/tsconfig.json',
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: {
      'modules/allowed-imports': 'error',
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential', ignorePartial: false }],
      'max-lines': ['error', { max: 600 }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'svelte/no-at-html-tags': 'error',
      'svelte/no-inline-styles': ['error', { allowTransitions: false }],
    },
  },
)
