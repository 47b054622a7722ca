import { createHash } from 'node:crypto'
import type { StorePort } from '#desk/ports/store.ts'
import { planAgain } from '#desk/labels/label-plan.ts'
import { commandIdOf, labelIdOf } from '../../support/ids.ts'
import { describedLabel } from '../../support/described-label.ts'

/**
 * Performs the numbered action `n` at a desk. When the call resolves, the effect of the action is stored and stays
 * visible. No action reverts another, so after damage a suite can determine for each action whether its effect is lost.
 */
export async function doDeed(store: StorePort, n: number): Promise<void> {
  const at = 1_000_000 + n
  switch (kindOf(n)) {
    case 'scan':
      store.scans.append({ id: `scan-${n}`, raw: rawOf(n), at })
      return
    case 'label':
      makeLabel(store, n, at)
      return
    case 'sent':
      store.outbox.holdLease('writer', at, 60_000)
      store.outbox.begin(commandIdOf(createOf(n - 1)), 'writer', { at, serviceTime: at, baseline: ['x'] })
      store.outbox.complete(commandIdOf(createOf(n - 1)), at, {
        kind: 'return_label',
        isCancelled: false,
        label: describedLabel(`server-${n - 1}`, {
          externalReference: `WEB-${n - 1}`,
          trackingCode: `RT${n - 1}`,
          codes: [`RT${n - 1}`],
          requested: true,
        }),
      })
      return
    case 'resolved':
      // The action `resolved` has two writes. If the second write was refused, the action is repeated, and must then
      // not save the scan again.
      if (!store.scans.get(`scan-${n}`)) store.scans.append({ id: `scan-${n}`, raw: rawOf(n), at })
      store.scans.resolve(`scan-${n}`, { kind: 'article', title: `Article ${n}`, subjectId: `v${n}` })
      return
    case 'document': {
      const hash = await store.vault.put(documentOf(n))
      store.labels.documentStored(labelIdOf(`label-${n - 3}`), hash, null)
      return
    }
    case 'setting':
      store.values.write(`key ${n}`, rawOf(n))
  }
}

/** Whether the store still contains the complete effect of action `n` of `doDeed`. */
export async function isDone(store: StorePort, n: number): Promise<boolean> {
  switch (kindOf(n)) {
    case 'scan':
      return store.scans.get(`scan-${n}`)?.raw === rawOf(n)
    case 'label': {
      const label = store.labels.get(labelIdOf(`label-${n}`))
      return label?.create?.id === createOf(n) && label.request !== null
    }
    case 'sent': {
      const label = store.labels.byCode(`RT${n - 1}`)
      return label?.serverId === `server-${n - 1}` && label.create?.state === 'done'
    }
    case 'resolved': {
      const scan = store.scans.get(`scan-${n}`)
      return scan?.raw === rawOf(n) && scan.kind === 'article' && scan.title === `Article ${n}`
    }
    case 'document': {
      const hash = store.labels.get(labelIdOf(`label-${n - 3}`))?.documentHash
      const document = hash ? await store.vault.read(hash) : null
      return document !== null && hash === createHash('sha256').update(documentOf(n)).digest('hex')
    }
    case 'setting':
      return store.values.read(`key ${n}`) === rawOf(n)
  }
}

/** Returns the number of actions whose effect is lost. */
export async function countLost(store: StorePort, deeds: Iterable<number>): Promise<number> {
  let lost = 0
  for (const n of deeds) if (!(await isDone(store, n))) lost++
  return lost
}

/** Returns the numbers from 1 to `last`. */
export function upTo(last: number): number[] {
  return Array.from({ length: last }, (_, index) => index + 1)
}

const kinds = ['setting', 'scan', 'label', 'sent', 'resolved', 'document'] as const

function kindOf(n: number): (typeof kinds)[number] {
  return kinds[n % kinds.length] ?? 'scan'
}

function createOf(n: number): string {
  return `create-${n}`
}

function rawOf(n: number): string {
  return `87${n}-${'x'.repeat((n * 37) % 900)}`
}

function documentOf(n: number): Uint8Array {
  return Buffer.from(`%PDF-1.4 ${n} ${'y'.repeat((n * 101) % 9_000)}`)
}

function makeLabel(store: StorePort, n: number, at: number): void {
  store.labels.make(
    {
      id: labelIdOf(`label-${n}`),
      shipmentId: `shipment-${n}`,
      shipmentReference: `SHP${n}`,
      shippingMethodId: null,
      wishedReference: null,
      sender: null,
      madeBy: 'sam',
      at,
      commands: [
        { id: commandIdOf(createOf(n)), type: 'return_label.create', payload: null },
        { id: commandIdOf(`request-${n}`), type: 'return_label.request', payload: null },
      ],
    },
    (newest) => planAgain(newest, { shippingMethodId: null, sender: null, request: true }),
  )
}
