import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { planPatch } from '#desk/labels/label-plan.ts'
import { openSqlite } from '#kit/open-sqlite.ts'
import type { CommandId } from '#shared/domain/ids.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { LabelDescription } from '#shared/writes/return-label.ts'
import { senderAddress } from '#shared/wire/address.ts'
import { anySender } from '#support/label-wishes.ts'
import { commandOf, makeLabel, StoreBench } from '#support/store-bench.ts'
import { commandIdOf, labelIdOf, serverLabelIdOf } from '#support/ids.ts'
import { turnsDuring } from '#support/turns.ts'
import { describedLabel } from '#support/described-label.ts'

let bench: StoreBench
beforeEach(async () => {
  bench = await StoreBench.create()
})
afterEach(() => bench.dispose())

/** Counts the occurrences of a text in the journal. */
function journaled(text: string): number {
  const folder = join(bench.dataDir, 'journal')
  const lines = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
  return lines.join('').split(text).length - 1
}

/** Adds copies of the first label, with the ids `copy-n` and the search texts `copy n.`. */
function copyLabels(copies: number): void {
  const file = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
  file.exec(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${String(copies)})
     INSERT INTO return_labels (id, scope, created_at, search_text)
     SELECT 'copy-' || i, scope, created_at, 'copy ' || i || '.'
     FROM n CROSS JOIN (SELECT scope, created_at FROM return_labels LIMIT 1)`,
  )
  file.close()
}

describe('LabelLedger', () => {
  it('writes the reason for a missing document once to the journal while all attempts fail for this reason', async () => {
    const store = await bench.open()
    const { id } = makeLabel(store)
    const missing = failure('return_label.no_document')
    for (let tries = 0; tries < 50; tries++) store.labels.documentFailed(id, missing)
    expect(journaled(missing.code)).toBe(1)
    store.labels.documentFailed(id, failure('document.too_large'))
    store.labels.documentFailed(id, missing)
    expect(journaled(missing.code)).toBe(2)
    expect(store.labels.get(id)?.documentFailure).toEqual(missing)
  })

  it('lists labels without reading the columns `baseline`, `question` and `acknowledged` of their commands', async () => {
    const store = await bench.open()
    const { id } = makeLabel(store)
    const file = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
    // the columns contain no JSON, so a list that read one of them would fail
    file.exec(`UPDATE commands SET baseline = 'no JSON', question = 'no JSON', acknowledged = 'no JSON'`)
    file.close()
    const { labels } = await store.labels.search('', 10, () => true)
    const lists = [store.labels.recent(10), labels, [store.labels.get(id)]]
    for (const list of lists)
      expect(list).toMatchObject([{ id, create: { state: 'queued', isUntouched: true }, trouble: null }])
  })

  it('reads only the name and the city of an address in search(), headByServerId() and nameOf()', async () => {
    const store = await bench.open()
    const { id } = store.labels.adopt(labelIdOf('label'), describedLabel('there'), 10, 20)
    const file = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
    // a read of the whole address would fail, because the address lacks most of its fields
    file.exec(`UPDATE return_labels SET sender = '{"addressed_to":"Zoë","city":"Breda"}'`)
    file.close()
    expect(() => store.labels.get(id)).toThrow()
    const { labels } = await store.labels.search('', 10, () => true)
    const short = { senderName: 'Zoë', senderCity: 'Breda' }
    expect(labels[0]).toMatchObject(short)
    expect(store.labels.headByServerId(serverLabelIdOf('there'))).toMatchObject(short)
    expect(store.labels.nameOf(id)).toMatchObject(short)
  })

  it('compares at most 1,000 labels with a search, and lists 100 of them, between two turns of the event loop', async () => {
    const store = await bench.open()
    makeLabel(store)
    copyLabels(5_000)
    const all = (text: string) => store.labels.search(text, 500, () => true)
    const none = all('nothing')
    expect(await turnsDuring(none)).toBeGreaterThan(4)
    expect(await none).toEqual({ labels: [], found: 0 })
    const some = all('')
    expect(await turnsDuring(some)).toBeGreaterThan(8)
    const { labels, found } = await some
    expect([labels.length, found]).toEqual([500, 5_001])
    expect(labels.map((one) => one.id)).toEqual(
      Array.from({ length: 500 }, (_, at) => labelIdOf(`copy-${String(5_000 - at)}`)),
    )
    // the search also finds a label that is not among the 1,000 newest labels, which it compares first
    expect((await all('copy 7.')).labels.map((one) => one.id)).toEqual([labelIdOf('copy-7')])
  })

  it('ends a search before its next step if the search is no longer wanted', async () => {
    const store = await bench.open()
    makeLabel(store)
    copyLabels(5_000)
    let steps = 0
    expect(await store.labels.search('copy', 500, () => ++steps < 3)).toMatchObject({ found: 200 })
    store.close()
    expect(await store.labels.search('copy', 500, () => false)).toEqual({ labels: [], found: 0 })
  })

  it('stores at most 1,000 characters of a label for the search', async () => {
    const store = await bench.open()
    const long = '한'.repeat(2_000)
    const said = describedLabel('there', {
      ...{ externalReference: long, trackingCode: long, shipment: { id: 'same', reference: long } },
      sender: senderAddress.parse({ ...anySender, addressed_to: long }),
    })
    store.labels.adopt(labelIdOf('label'), said, 10, 20)
    const file = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
    expect(file.prepare('SELECT length(search_text) FROM return_labels').pluck().all()).toEqual([1_000])
    file.close()
  })

  it('keeps fewer than eight commands of a label after sixty changes of its sender', async () => {
    const store = await bench.open()
    const { id, create } = makeLabel(store)
    const { outbox } = store
    outbox.holdLease('me', 0, 1_000_000)
    const begin = (command: CommandId, at: number): void => {
      expect(outbox.begin(command, 'me', { at, serviceTime: at, baseline: null })).toBe(true)
    }
    const why = failure('api.unavailable')
    const said = describedLabel('there', { externalReference: 'WEB-1' })
    begin(create?.id ?? commandIdOf(''), 10)
    outbox.complete(create?.id ?? commandIdOf(''), 11, {
      kind: 'return_label',
      label: said,
      isCancelled: false,
    })
    const ends: ((command: CommandId, at: number) => void)[] = [
      // the change of the label stays queued, and the next change of the label replaces it
      () => undefined,
      (command, at) => {
        begin(command, at)
        outbox.reject(command, at, why, null)
      },
      (command, at) => {
        begin(command, at)
        outbox.complete(command, at, { kind: 'return_label', label: said, isCancelled: false })
      },
    ]
    for (let turn = 0; turn < 60; turn++) {
      const at = 100 + turn
      const sender = senderAddress.parse({ ...anySender, city: `City ${String(turn)}` })
      const changed = store.labels.change(id, { at, by: null }, (row) =>
        planPatch(row, { changes: { city: `City ${String(turn)}` }, sender }),
      )
      expect(changed?.ok).toBe(true)
      ends[turn % 3]?.(commandOf(store.labels.get(id), 'patch'), at)
    }
    expect(store.labels.get(id)).toMatchObject({
      ...{ create: { state: 'done' }, patch: { state: 'done' }, request: { state: 'queued' }, trouble: null },
      sender: { city: said.sender?.city ?? 'City 59' },
    })
    const file = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
    const types = file.prepare('SELECT type, state FROM commands ORDER BY seq').all()
    expect(types.length).toBeLessThan(8)
    file.close()
  })

  it('keeps a discarded change of a label after a newer change, if the service may still apply the discarded change', async () => {
    const store = await bench.open()
    const { id, create } = makeLabel(store)
    const { outbox } = store
    outbox.holdLease('me', 0, 1_000_000)
    const facts = { kind: 'return_label', label: describedLabel('there'), isCancelled: false } as const
    outbox.begin(create?.id ?? commandIdOf(''), 'me', { at: 10, serviceTime: 10, baseline: null })
    outbox.complete(create?.id ?? commandIdOf(''), 11, facts)
    const change = (city: string, at: number): void => {
      const sender = senderAddress.parse({ ...anySender, city })
      store.labels.change(id, { at, by: null }, (row) => planPatch(row, { changes: { city }, sender }))
    }
    change('one', 20)
    const patch = commandOf(store.labels.get(id), 'patch')
    outbox.begin(patch, 'me', { at: 21, serviceTime: 21, baseline: null })
    outbox.markUnknown(patch, 22, failure('network.timeout'))
    outbox.requeue(patch, 23, null)
    outbox.discard(patch, 24)
    change('two', 25)
    expect(outbox.get(patch)?.state).toBe('discarded')
  })

  it('takes a label of the service as the result of a creation only if the label did not exist before the creation was sent', async () => {
    const store = await bench.open()
    const label = makeLabel(store, 'same')
    store.outbox.holdLease('me', 0, 1_000)
    store.outbox.begin(commandOf(label, 'create'), 'me', {
      at: 10,
      serviceTime: 10,
      baseline: [idHash('there')],
    })
    const said = (serverId: string): LabelDescription =>
      describedLabel(serverId, {
        externalReference: 'WEB-1',
        shipment: { id: 'same', reference: 'SHP1' },
      })
    expect(store.labels.adopt(labelIdOf('other'), said('there'), 10, 20)).toMatchObject({
      id: 'other',
      serverId: 'there',
    })
    // a label that did not exist before the creation was sent may be the result of the creation
    expect(store.labels.adopt(labelIdOf('new'), said('since'), 10, 20).id).toBe(label.id)
  })

  it('writes at most one line a day to the journal for a label that the service returns unchanged', async () => {
    const store = await bench.open()
    const dayMs = 24 * 3600_000
    const sender = senderAddress.parse({ ...anySender, street: 'CANARY'.repeat(10) })
    const said: LabelDescription = {
      ...{
        serverId: serverLabelIdOf('there'),
        externalReference: 'WEB-1',
        trackingCode: '3S1',
        codes: ['3S1'],
      },
      ...{ requested: false, sender, shipment: { id: 'same', reference: 'SHP1' } },
    }
    const { id } = store.labels.adopt(labelIdOf('label'), said, 10, 20)
    const once = journaled('CANARY')
    const lines = journaled('as_of')
    for (let at = 21; at < 200; at++) {
      if (at % 2 === 0) store.labels.adopt(labelIdOf('again'), said, 10, at)
      else expect(store.labels.describe(id, said, 20, at)).toBe(false)
      expect(store.labels.get(id)?.asOf).toBe(at)
    }
    expect(journaled('CANARY')).toBe(once)
    expect(journaled('as_of')).toBe(lines)
    store.labels.describe(id, said, 20, dayMs + 20)
    store.labels.describe(id, said, 20, dayMs + 30)
    expect(journaled('as_of')).toBe(lines + 1)
    expect(journaled('CANARY')).toBe(once)
    expect(store.labels.describe(id, { ...said, codes: ['3S1', '3S2'] }, 20, dayMs + 40)).toBe(false)
    expect(store.labels.byCode('3S2')?.id).toBe(id)
    expect(store.labels.describe(id, { ...said, requested: true }, 20, dayMs + 50)).toBe(true)
  })

  it('keeps at most 401 codes of a label, even if each response of the service contains 200 new codes', async () => {
    const store = await bench.open()
    const said = (codes: readonly string[]): LabelDescription =>
      describedLabel('there', { externalReference: 'WEB-1', codes })
    const { id } = store.labels.adopt(labelIdOf('label'), said(['FIRST']), 10, 20)
    for (let n = 0; n < 20; n++) {
      const codes = Array.from({ length: 200 }, (_, at) => `CODE-${String(n)}-${String(at)}`)
      store.labels.describe(id, said(codes), 20, 20 + n)
      if (n === 0) expect(store.labels.byCode('FIRST')?.id).toBe(id)
      expect(store.labels.codesOf(id).length).toBeLessThanOrEqual(401)
      for (const code of codes) expect(store.labels.byCode(code)?.id).toBe(id)
    }
  })
})
