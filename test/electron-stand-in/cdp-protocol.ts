// Of the project's dependencies, only Playwright has a typed description of the DevTools protocol. Its package does not
// export the file of this description by name, so the file is imported by its path.
export type { Protocol } from '../../node_modules/playwright-core/types/protocol.d.ts'
