import { describe, expect, it } from 'vitest'
import type { ApiPort } from '#desk/ports/api.ts'
import type { OutboxStore } from '#desk/ports/commands.ts'
import type { LabelLedger } from '#desk/ports/label-ledger.ts'
import type { StorePort } from '#desk/ports/store.ts'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { CommandId, LabelId, ServerId, ServerLabelId } from '#shared/domain/ids.ts'
import type { Scope, ScopeKey } from '#shared/domain/scope.ts'
import { byReturnLabel } from '#shared/wire/return-label.ts'
import { routes } from '#shared/wire/routes.ts'
import type { Subject } from '#shared/writes/write-kinds.ts'

/** Parts that exist for the types only; none of them is called. */
interface Parts {
  readonly labels: LabelLedger
  readonly outbox: OutboxStore
  readonly store: StorePort
  readonly api: ApiPort
  readonly bridge: ScandeskBridge
  readonly own: LabelId
  readonly theirs: ServerLabelId
  readonly record: ServerId
  readonly subject: Subject
  readonly command: CommandId
  readonly scope: Scope
  readonly key: ScopeKey
  readonly text: string
}

describe('the branded ids', () => {
  it('are not assignable from a text that was not checked', () => {
    const unchecked = ({ labels, text }: Parts): unknown => [
      // @ts-expect-error any text, unchecked
      labels.get(text),
      // @ts-expect-error any text, unchecked
      labels.byServerId(text),
      // an id can be used as a text
      text.concat(labels.awaitingDocument()[0] ?? ''),
    ]
    expect(unchecked).toBeTypeOf('function')
  })

  it('separate the id of a label on this PC from its id at the service', () => {
    const swaps = ({ labels, api, bridge, own, theirs, record }: Parts): unknown => [
      labels.get(own),
      // @ts-expect-error the service's id
      labels.get(theirs),
      labels.byServerId(theirs),
      // @ts-expect-error the id on this PC
      labels.byServerId(own),
      // @ts-expect-error the id on this PC
      labels.isClaimed(own),
      // @ts-expect-error another kind of record of the service
      labels.isClaimed(record),
      // @ts-expect-error the service's id
      labels.documentStored(theirs, 'hash', null),
      // @ts-expect-error the service's id
      labels.codesOf(theirs),
      api.getReturnLabel('token', theirs),
      // @ts-expect-error the id on this PC
      api.getReturnLabel('token', own),
      api.write('token', routes.requestReturnLabel, { id: theirs }),
      // @ts-expect-error the id on this PC
      api.write('token', routes.requestReturnLabel, { id: own }),
      // @ts-expect-error the id on this PC
      api.write('token', routes.cancelReturnLabel, { id: own }),
      // @ts-expect-error the service's id
      bridge.returnLabel.get({ id: theirs }),
      // @ts-expect-error the id on this PC
      bridge.returnLabel.open({ serverId: own }),
    ]
    expect(swaps).toBeTypeOf('function')
  })

  it('separate the id of a label from the id of a write', () => {
    const swaps = ({ labels, outbox, bridge, own, command }: Parts): unknown => [
      outbox.get(command),
      // @ts-expect-error the id of a label
      outbox.get(own),
      // @ts-expect-error the id of a label
      outbox.discard(own, 1),
      // @ts-expect-error the id of a write
      labels.get(command),
      // @ts-expect-error the id of a label
      bridge.queue.edit({ commandId: own }),
    ]
    expect(swaps).toBeTypeOf('function')
  })

  it('separate the subjects of two kinds', () => {
    const swaps = ({ labels, subject }: Parts): unknown => [
      // @ts-expect-error it may be a modification
      labels.get(subject.id),
      subject.kind === 'return_label' && labels.get(subject.id),
    ]
    expect(swaps).toBeTypeOf('function')
  })

  it('separate the key of a scope from any other text', () => {
    const swaps = ({ store, scope, key, text, own }: Parts): unknown => [
      store.waitingAt(key),
      // @ts-expect-error the scope itself
      store.waitingAt(scope),
      // @ts-expect-error one of its codes, or any text
      store.waitingAt(text),
      // @ts-expect-error the id of a label
      store.waitingAt(own),
    ]
    expect(swaps).toBeTypeOf('function')
  })

  it('are the unchanged text once it was checked', () => {
    const id = '00000000-0000-4000-8000-00000000dead'
    expect(byReturnLabel.parse({ id })).toEqual({ id })
    expect(byReturnLabel.safeParse({ id: 'dead' }).success).toBe(false)
  })
})
