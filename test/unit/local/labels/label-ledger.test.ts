import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openSqlite } from '#kit/open-sqlite.ts'
import { idHash } from '#shared/domain/id-hash.ts'
import { failure } from '#shared/errors/catalogue.ts'
import type { LabelDescription } from '#shared/writes/return-label.ts'
import { commandOf, makeLabel, StoreBench } from '#support/store-bench.ts'
import { labelIdOf } from '#support/ids.ts'
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

describe('LabelLedger', () => {
  it('writes the reason of a missing document once, however many tries fail alike', async () => {
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

  it('lists labels without reading the baselines, questions and acknowledgements of their commands', async () => {
    const store = await bench.open()
    const { id } = makeLabel(store)
    const file = openSqlite(join(bench.dataDir, 'desk.db'), 'precious')
    // a list that read one of these would fail at it
    file.exec(`UPDATE commands SET baseline = 'no JSON', question = 'no JSON', acknowledged = 'no JSON'`)
    file.close()
    const lists = [store.labels.recent(10), store.labels.search('', 10).labels, [store.labels.get(id)]]
    for (const list of lists)
      expect(list).toMatchObject([{ id, create: { state: 'queued', isUntouched: true }, trouble: null }])
  })

  it('adopts a label of the service that existed before our creation, and merges one that did not', async () => {
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
    // a label that did not exist may be the result of our creation
    expect(store.labels.adopt(labelIdOf('new'), said('since'), 10, 20).id).toBe(label.id)
  })

  it('keeps some hundred codes of a label, although the service changes them in each response', async () => {
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
