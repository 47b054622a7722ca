// The only typed description of the DevTools protocol in the project's dependencies is Playwright's, and its package
// does not export that file by name.
export type { Protocol } from '../../node_modules/playwright-core/types/protocol.d.ts'
