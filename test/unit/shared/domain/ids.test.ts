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

/** Parts of the program, of which the tests use only the types. No function of them is called. */
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
      // @ts-expect-error a text that was not checked as an id
      labels.get(text),
      // @ts-expect-error a text that was not checked as an id
      labels.byServerId(text),
      // an id is accepted where a string is expected
      text.concat(labels.awaitingDocument()[0] ?? ''),
    ]
    expect(unchecked).toBeTypeOf('function')
  })

  it('do not allow the id of a label on this PC in place of its id at the service, or the reverse', () => {
    const swaps = ({ labels, api, bridge, own, theirs, record }: Parts): unknown => [
      labels.get(own),
      // @ts-expect-error the id at the service in place of the id on this PC
      labels.get(theirs),
      labels.byServerId(theirs),
      // @ts-expect-error the id on this PC in place of the id at the service
      labels.byServerId(own),
      // @ts-expect-error the id on this PC in place of the id at the service
      labels.isClaimed(own),
      // @ts-expect-error the id of another kind of record in place of the id of a label
      labels.isClaimed(record),
      // @ts-expect-error the id at the service in place of the id on this PC
      labels.documentStored(theirs, 'hash', null),
      // @ts-expect-error the id at the service in place of the id on this PC
      labels.codesOf(theirs),
      api.getReturnLabel('token', theirs),
      // @ts-expect-error the id on this PC in place of the id at the service
      api.getReturnLabel('token', own),
      api.write('token', routes.requestReturnLabel, { id: theirs }),
      // @ts-expect-error the id on this PC in place of the id at the service
      api.write('token', routes.requestReturnLabel, { id: own }),
      // @ts-expect-error the id on this PC in place of the id at the service
      api.write('token', routes.cancelReturnLabel, { id: own }),
      // @ts-expect-error the id at the service in place of the id on this PC
      bridge.returnLabel.get({ id: theirs }),
      // @ts-expect-error the id on this PC in place of the id at the service
      bridge.returnLabel.open({ serverId: own }),
    ]
    expect(swaps).toBeTypeOf('function')
  })

  it('do not allow the id of a label in place of the id of a write, or the reverse', () => {
    const swaps = ({ labels, outbox, bridge, own, command }: Parts): unknown => [
      outbox.get(command),
      // @ts-expect-error the id of a label in place of another id
      outbox.get(own),
      // @ts-expect-error the id of a label in place of another id
      outbox.discard(own, 1),
      // @ts-expect-error the id of a write in place of the id of a label
      labels.get(command),
      // @ts-expect-error the id of a label in place of another id
      bridge.queue.edit({ commandId: own }),
    ]
    expect(swaps).toBeTypeOf('function')
  })

  it('do not allow the id of a subject of unknown kind in place of the id of a label', () => {
    const swaps = ({ labels, subject }: Parts): unknown => [
      // @ts-expect-error the id of a subject that may be a modification
      labels.get(subject.id),
      subject.kind === 'return_label' && labels.get(subject.id),
    ]
    expect(swaps).toBeTypeOf('function')
  })

  it('do not allow any other text in place of the key of a scope', () => {
    const swaps = ({ store, scope, key, text, own }: Parts): unknown => [
      store.waitingAt(key),
      // @ts-expect-error a scope in place of its key
      store.waitingAt(scope),
      // @ts-expect-error a text that is not the key of a scope
      store.waitingAt(text),
      // @ts-expect-error the id of a label in place of another id
      store.waitingAt(own),
    ]
    expect(swaps).toBeTypeOf('function')
  })

  it('are at run time the unchanged text, which the schema has checked', () => {
    const id = '00000000-0000-4000-8000-00000000dead'
    expect(byReturnLabel.parse({ id })).toEqual({ id })
    expect(byReturnLabel.safeParse({ id: 'dead' }).success).toBe(false)
  })
})
