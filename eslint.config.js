import { relative } from 'node:path'
import svelte from 'eslint-plugin-svelte'
import tseslint from 'typescript-eslint'
import { judge } from './rooms.config.js'
import svelteConfig from './svelte.config.js'

/** Refuses every import that rooms.config.js does not allow, in .ts and .svelte alike. */
export const roomsPlugin = {
  rules: {
    arrow: {
      meta: { type: 'problem', schema: [], messages: { refused: '{{reason}}' } },
      create(context) {
        const file = relative(context.cwd, context.filename).replaceAll('\\', '/')
        const check = (node, source, typeOnly) => {
          if (typeof source?.value !== 'string') return
          const reason = judge(file, source.value, typeOnly)
          if (reason) context.report({ node, messageId: 'refused', data: { reason } })
        }
        return {
          ImportDeclaration: (node) => {
            const named = node.specifiers.length > 0 && node.specifiers.every((s) => s.importKind === 'type')
            check(node, node.source, node.importKind === 'type' || named)
          },
          ExportNamedDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
          ExportAllDeclaration: (node) => check(node, node.source, node.exportKind === 'type'),
          ImportExpression: (node) => check(node, node.source, false),
        }
      },
    },
  },
}

/** Rules that need types, for components only: what is TypeScript alone is linted by oxlint (.oxlintrc.json), in a tenth of the time. */
const typed = tseslint.configs.strictTypeChecked
  .filter(({ name }) => name !== 'typescript-eslint/eslint-recommended')
  .map((config) => ({ ...config, files: ['**/*.svelte'] }))

export default tseslint.config(
  {
    ignores: ['node_modules/', 'out/', 'dist/', 'src/messages/', '**/*.{js,cjs,mjs}'],
  },
  {
    files: ['**/*.ts'],
    plugins: { rooms: roomsPlugin },
    languageOptions: { parser: tseslint.parser },
    rules: { 'rooms/arrow': 'error' },
  },
  ...typed,
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte.ts'],
    languageOptions: { parserOptions: { parser: tseslint.parser } },
  },
  {
    files: ['**/*.svelte'],
    plugins: { rooms: roomsPlugin },
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
      'rooms/arrow': 'error',
      'max-lines': ['error', { max: 400 }],
      '@typescript-eslint/explicit-module-boundary-types': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'svelte/no-at-html-tags': 'error',
      'svelte/no-inline-styles': ['error', { allowTransitions: false }],
    },
  },
)
