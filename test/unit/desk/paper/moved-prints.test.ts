import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StorePort } from '#desk/ports/store.ts'
import type { LabelId } from '#shared/domain/ids.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { makeLabel, StoreBench } from '#support/store-bench.ts'

const details = { at: 1, failure: null, evidence: null, file: null }
const refused = failure('printer.refused', { printer: 'p', cause: 'paper_out' })

let bench: StoreBench
let store: StorePort
let labelId: LabelId

function historyOf(id: string): unknown[] {
  const file = new Database(join(bench.dataDir, 'desk.db'))
  try {
    return file
      .prepare('SELECT at, from_state, to_state, failure FROM history WHERE subject_id = ? AND at > 1')
      .all(id)
  } finally {
    file.close()
  }
}

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  labelId = makeLabel(store).id
  for (const id of ['refused', 'queued', 'elsewhere'])
    store.printJobs.add(labelId, 'hash', {
      ...{ id, isReprint: false, reason: null, at: 1 },
      printer: id === 'elsewhere' ? 'q' : 'p',
    })
  for (const id of ['refused', 'elsewhere']) {
    store.printJobs.move(id, 'queued', 'sending', details)
    store.printJobs.move(id, 'sending', 'refused', { ...details, failure: refused })
  }
})
afterEach(async () => {
  await bench.dispose()
})

describe('a print that its printer refused', () => {
  it.each([
    [
      'by an operator',
      () =>
        void store.printJobs.change(
          'refused',
          { at: 7, by: 'eva', decision: 'move', details: 'q' },
          { do: 'move', printer: 'q' },
        ),
    ],
    [
      'because its printer was removed',
      () => {
        store.printJobs.reroute(['q'], 'q', 7)
      },
    ],
  ])('waits for the next printer without this refusal when it is moved %s', (_, move) => {
    move()
    expect(store.printJobs.get('refused')).toMatchObject({
      ...{ printer: 'q', state: 'queued', failure: null, stateAt: 7 },
    })
    expect(historyOf('refused')).toEqual([
      { at: 7, from_state: 'refused', to_state: 'queued', failure: null },
    ])
  })

  it('is not held at the next printer for refusals of the removed printer', () => {
    store.printJobs.hold('refused', { kind: 'refused' })
    store.printJobs.hold('queued', { kind: 'nothing_readable' })
    store.printJobs.reroute(['q'], 'q', 7)
    expect(store.printJobs.get('refused')?.hold).toBeNull()
    expect(store.printJobs.get('queued')?.hold).toEqual({ kind: 'nothing_readable' })
  })

  it('has its label in the result of reroute() once, so that the view of this label is made again; a second call returns no label', () => {
    expect(store.printJobs.reroute(['q'], 'q', 7)).toEqual([labelId])
    expect(store.printJobs.reroute(['q'], 'q', 8)).toEqual([])
  })

  it('keeps its refusal when the jobs of another printer are moved; a job that was not refused keeps its time', () => {
    store.printJobs.reroute(['q'], 'q', 7)
    expect(store.printJobs.get('elsewhere')).toMatchObject({ state: 'refused', failure: refused, stateAt: 1 })
    expect(store.printJobs.get('queued')).toMatchObject({ printer: 'q', state: 'queued', stateAt: 1 })
    expect([historyOf('elsewhere'), historyOf('queued')]).toEqual([[], []])
  })
})
