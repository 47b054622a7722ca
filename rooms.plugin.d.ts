import type { ESLint } from 'eslint'

declare const rooms: ESLint.Plugin
export default rooms
