import type { QueueLine, QueueNotice, QueueView } from '#shared/bridge/queue-views.ts'

/** One entry of the queue screen: a write that waits, or something that was noticed afterwards. */
export type QueueItem =
  | { readonly kind: 'line'; readonly key: string; readonly line: QueueLine }
  | { readonly kind: 'notice'; readonly key: string; readonly notice: QueueNotice }

export interface QueueGroup {
  readonly name: 'asks' | 'noticed' | 'waits' | 'approved'
  readonly items: readonly QueueItem[]
}

/** Whether only a person can bring it on. */
export function asksOperator({ waitsFor, question }: QueueLine): boolean {
  return waitsFor === 'operator' || question !== null
}

/** The queue in the order in which it is looked at; groups without entries are left out. */
export function queueGroups({ lines, notices }: QueueView): readonly QueueGroup[] {
  const items = lines.map((line): QueueItem => ({ kind: 'line', key: line.commandId, line }))
  const asks = (item: QueueItem): boolean => item.kind === 'line' && asksOperator(item.line)
  const noticed = (isApproved: boolean): QueueItem[] =>
    notices
      .filter(({ kind }) => (kind === 'approved') === isApproved)
      .map((notice) => ({ kind: 'notice', key: `notice ${notice.id}`, notice }))
  const groups: QueueGroup[] = [
    { name: 'asks', items: items.filter(asks) },
    { name: 'noticed', items: noticed(false) },
    { name: 'waits', items: items.filter((item) => !asks(item)) },
    { name: 'approved', items: noticed(true) },
  ]
  return groups.filter((group) => group.items.length > 0)
}
