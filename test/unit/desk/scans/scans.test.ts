import type { LabelId } from '#shared/domain/ids.ts'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { StorePort } from '#desk/ports/store.ts'
import { scanBack } from '#desk/paper/prints.ts'
import { toLabelView } from '#desk/labels/label-view.ts'
import { Scans } from '#desk/scans/scans.ts'
import type { Found } from '#desk/scans/scan-question.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { fakeClock } from '#support/desk-fakes.ts'
import { StoreBench } from '#support/store-bench.ts'
import { labelIdOf } from '#support/ids.ts'
import { describedLabel } from '#support/described-label.ts'

let bench: StoreBench
let store: StorePort
let labelId: LabelId
let faults: unknown[]
const clock = fakeClock()
const code = 'TB00000001'

beforeEach(async () => {
  bench = await StoreBench.create()
  store = await bench.open()
  faults = []
  const said = describedLabel('s', { trackingCode: code, codes: [code], requested: true })
  labelId = store.labels.adopt(labelIdOf('s'), said, 1, 1).id
  store.printJobs.add(labelId, 'hash', { id: 'job', printer: 'p', isReprint: false, reason: null, at: 1 })
  const details = { at: 1, failure: null, evidence: null, file: null }
  store.printJobs.move('job', 'queued', 'sending', details)
  store.printJobs.move('job', 'sending', 'sent', details)
})
afterEach(() => bench.dispose())

/** Scans of a desk on which every scan finds the label `labelId`. The given stores replace the stores of the desk. */
function scansOn(stores: Partial<Pick<StorePort, 'scans' | 'labels' | 'printJobs'>>): Scans {
  const { scans: journal, labels, printJobs: jobs } = { ...store, ...stores }
  return new Scans({
    journal,
    clock,
    onFault: (error) => faults.push(error),
    answers: { forget: () => undefined },
    resolver: {
      choose: () => Promise.reject(new Error('nothing is ambiguous here')),
      resolve({ scanId, raw, at }): Promise<Found> {
        const label = store.labels.get(labelId)
        if (!label) throw new Error('no label')
        const outcome = {
          kind: 'return_label',
          scanId,
          raw,
          at,
          swap: null,
          label: toLabelView(label, { named: () => null }),
        } as const
        return Promise.resolve({ outcome, title: 'label', subjectId: labelId })
      },
    },
    labelScanned(outcome) {
      const { scanId: id, raw, label } = outcome
      const swap = scanBack({ jobs, labels, clock, moved: () => undefined }, label.id, { id, raw })
      return { ...outcome, swap }
    },
  })
}

const broken = (): never => {
  throw new CataloguedError('store.full')
}

describe('a scan of a printed label', () => {
  it('confirms the print job of the label', async () => {
    expect(await scansOn({}).submit({ raw: code, expect: 'anything' })).toMatchObject({
      kind: 'return_label',
    })
    expect(store.printJobs.get('job')?.state).toBe('scan_confirmed')
    expect(faults).toEqual([])
  })

  it.each<[string, () => Parameters<typeof scansOn>[0]]>([
    ['the label cannot be read', () => ({ labels: { ...store.labels, get: broken } })],
    ['the codes of the label cannot be read', () => ({ labels: { ...store.labels, codesOf: broken } })],
    ['the print cannot be closed', () => ({ printJobs: { ...store.printJobs, move: broken } })],
    ['the journal cannot store the result', () => ({ scans: { ...store.scans, resolve: broken } })],
  ])('is still resolved when %s', async (_, stores) => {
    const outcome = await scansOn(stores()).submit({ raw: code, expect: 'anything' })
    expect(outcome).toMatchObject({ kind: 'return_label', raw: code, swap: null })
    expect(store.scans.recent(5).map(({ raw }) => raw)).toEqual([code])
    expect(faults).toMatchObject([{ failure: { code: 'store.full' } }])
  })

  it('leads to an error and does not confirm the print if the journal cannot store the scan', async () => {
    await expect(
      scansOn({ scans: { ...store.scans, append: broken } }).submit({ raw: code, expect: 'anything' }),
    ).rejects.toThrow()
    expect(store.printJobs.get('job')?.state).toBe('sent')
  })
})

describe('the times of scans', () => {
  it('increase from scan to scan even in the same millisecond, but are earlier again after the clock was set back', async () => {
    const scans = scansOn({})
    const submit = async (): Promise<number> =>
      Date.parse((await scans.submit({ raw: code, expect: 'anything' })).at)
    const start = clock.now()
    expect(await Promise.all([submit(), submit()])).toEqual([start, start + 1])
    clock.advance(-60_000)
    expect(await submit()).toBe(start - 60_000)
  })
})
