/** The writes of a return label, by the names under which they are stored in desk.db (API.md 8.1). */
export const labelCommands = {
  create: 'return_label.create',
  patch: 'return_label.patch',
  request: 'return_label.request',
  cancel: 'return_label.cancel',
} as const
export type LabelCommand = (typeof labelCommands)[keyof typeof labelCommands]

/**
 * Whether a write that waits behind a failed write of the same label becomes pointless. A label whose creation failed
 * does not exist. A label must not be requested with the address that a refused change was to replace. A cancellation
 * stays valid even if a change before it failed.
 */
export function fallsWith(waiting: string, failed: string): boolean {
  switch (failed) {
    case labelCommands.patch:
      return waiting === labelCommands.request
    case labelCommands.request:
    case labelCommands.cancel:
      return false
    default:
      return true
  }
}
