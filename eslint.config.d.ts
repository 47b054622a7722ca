import type { ESLint, Linter } from 'eslint'

export const roomsPlugin: ESLint.Plugin
declare const config: Linter.Config[]
export default config
