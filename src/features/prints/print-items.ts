import type { PrintLine, PrintsView } from '#shared/bridge/print-views.ts'
import { asksAboutPrint } from '#shared/domain/print-rules.ts'
import { isPrintOpen } from '#shared/domain/print-state.ts'

/** `paper`: it came out, and nobody has scanned it since. */
type PrintGroupName = 'asks' | 'waits' | 'paper'

export interface PrintGroup {
  readonly name: PrintGroupName
  readonly items: readonly PrintLine[]
}

/** Whether nothing goes on before somebody said what to do. */
export function asksOperator({ state, hold }: PrintLine): boolean {
  return asksAboutPrint(state, hold !== null)
}

/** The paper of the desk in the order in which it is looked at; groups without a line are left out. */
export function printGroups({ open, notScanned }: PrintsView): readonly PrintGroup[] {
  const groups: PrintGroup[] = [
    { name: 'asks', items: open.filter(asksOperator) },
    { name: 'waits', items: open.filter((line) => !asksOperator(line)) },
    { name: 'paper', items: notScanned },
  ]
  return groups.filter(({ items }) => items.length > 0)
}

export function groupOf(line: PrintLine): PrintGroupName {
  if (asksOperator(line)) return 'asks'
  return isPrintOpen(line.state) ? 'waits' : 'paper'
}
