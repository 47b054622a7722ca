import type { ESLint } from 'eslint'

declare const modules: ESLint.Plugin
export default modules
