import { describe, expect, it } from 'vitest'
import type { DeskCommand, DeskLabel, ServiceLabel } from '../outbox/truth.ts'
import type { Case } from './case.ts'
import { flightHeader } from './flights.ts'
import { judge } from './judge.ts'
import type { Decision, Memory, Notice } from './truth.ts'
import { WireJournal } from './wire-journal.ts'

/**
 * The data that the judge compares, for two desks and one shipment: the records of the service, the journal of the
 * calls to the service (`WireJournal`), and the stored data of each desk.
 */
class Bench {
  readonly journal = new WireJournal(false)
  readonly #labels: ServiceLabel[] = []
  readonly #memories = [new Remembered(), new Remembered()] as const

  /** Returns the data of desk 0 or 1. Each desk has one label and one command, whose ids are the number of the desk. */
  desk(desk: 0 | 1): Remembered {
    return this.#memories[desk]
  }

  async look(desk: number, range = ''): Promise<void> {
    await this.#call('GET', desk, 200, [], range)
  }

  /** The desk creates a label with this id at the service. */
  async create(desk: number, id: string): Promise<void> {
    this.#labels.push({ ...anyLabel, id })
    await this.#call('POST', desk, 201, { id })
  }

  judge(wishes: Case['wishes'] = []): ReturnType<typeof judge> {
    return judge({
      wishes,
      pressed: wishes,
      memories: this.#memories.map((one, desk) => one.memory(String(desk))),
      service: { labels: this.#labels, modifications: [] },
      journal: this.journal,
    })
  }

  async #call(method: string, desk: number, status: number, body: unknown, range = ''): Promise<void> {
    const path = `/wms/return-labels/?page=1&limit=100${range}`
    const headers = { [flightHeader]: String(desk) }
    const call = { method, path, headers, cameTicks: performance.now(), fault: null }
    await this.journal.through(desk)(call, async () => {
      // Waits until the clock shows a later time than in the previous step.
      await new Promise((resolve) => setTimeout(resolve, 2))
      return { status, headers: {}, body: Buffer.from(JSON.stringify(body)) }
    })
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

class Remembered {
  state = 'done'
  serverId: string | null = null
  readonly decisions: Decision[] = []
  readonly notices: Notice[] = []

  told(id: string, kind = 'other_desk'): void {
    this.notices.push({ kind, subjectId: '', ids: [id] })
  }

  /** The operator makes a decision. `shown` is the id of the record that the question shows. */
  decided(decision: string, shown: string, commandId: string): void {
    const adoptedId = decision === 'adopt' ? shown : null
    this.decisions.push({ commandId, decision, adoptedId, question: { kind: 'exists', ids: [shown] } })
  }

  memory(id: string): Memory {
    return {
      commands: [{ ...anyCommand, id, subject_id: id, state: this.state }],
      labels: [{ ...anyDeskLabel, id, server_id: this.serverId }],
      modifications: [],
      prints: [],
      papers: [],
      integrity: 'ok',
      decisions: this.decisions,
      notices: this.notices,
      questions: new Map(),
    }
  }
}

const anyLabel: ServiceLabel = {
  id: '',
  external_reference: '',
  state: 'unrequested',
  shipment_id: 'shipment',
  shipping_method_id: '',
  city: '',
  street: '',
  created_at: '',
  documents: 0,
}
const anyCommand: DeskCommand = {
  id: '',
  subject_id: '',
  type: 'return_label.create',
  state: 'done',
  needs_operator: 0,
  failure: null,
  payload: null,
  attempts: 1,
  created_at: 0,
  first_sent_at: null,
  ended_at: null,
  state_at: 0,
}
const anyDeskLabel: DeskLabel = {
  id: '',
  origin: 'desk',
  shipment_id: 'shipment',
  wished_reference: null,
  server_id: null,
  requested: 0,
  cancelled: 0,
}
/** Returns a request for a label at a desk. `seenId` is the id of the label that the card showed before the request. */
const wishOf = (desk: 0 | 1, seenId: string | null = null): Case['wishes'] => [
  {
    desk,
    deed: {
      kind: 'label',
      shipmentId: 'shipment',
      code: '',
      methodId: null,
      isRequested: false,
      looks: false,
    },
    meeting: 0,
    pressedAt: 0,
    seenId,
    subjectId: String(desk),
  },
]

/** Desk 1 searches before the label of desk 0 exists, and makes its label after that label. */
async function overlapping(): Promise<Bench> {
  const bench = new Bench()
  await bench.look(0)
  await bench.look(1)
  await bench.create(0, 'first')
  await bench.create(1, 'second')
  return bench
}

/** Desk 1 searches for labels after desk 0 has made its label, and nevertheless makes another label. */
async function oneAfterTheOther(): Promise<Bench> {
  const bench = new Bench()
  await bench.look(0)
  await bench.create(0, 'first')
  await bench.look(1)
  await bench.create(1, 'second')
  return bench
}

describe('judge() in the suite `desks`', () => {
  it("accepts two labels of a shipment if neither desk could see the other's label and both desks have a notice", async () => {
    const bench = await overlapping()
    bench.desk(0).told('second')
    bench.desk(1).told('first')
    const findings = bench.judge()
    expect(findings.broken).toEqual([])
    expect(findings).toMatchObject({ secondLabels: 1, overlapped: 1 })
  })

  it('reports each desk that has no correct notice about the second label of a shipment', async () => {
    const bench = await overlapping()
    bench.desk(0).told('second', 'duplicate')
    bench.desk(1).told('another')
    expect(bench.judge().untold.map(({ detail }) => detail.slice(0, 6))).toEqual(['desk 1', 'desk 0'])
  })

  it('reports a second label if its desk could see the first label but did not ask its operator', async () => {
    const bench = await oneAfterTheOther()
    bench.desk(0).told('second')
    bench.desk(1).told('first')
    expect(bench.judge().unaskedLabels).toHaveLength(1)
  })

  it("does not count an update of a desk's copy of the label list as the search that the desk must make before it creates a label", async () => {
    const bench = new Bench()
    await bench.look(1)
    await bench.create(0, 'first')
    await bench.look(1, '&from=2026-01-01')
    await bench.create(1, 'second')
    bench.desk(0).told('second')
    bench.desk(1).told('first')
    expect(bench.judge()).toMatchObject({ broken: [], overlapped: 1 })
  })

  it('reports a second label if its desk never searched for the first label', async () => {
    const bench = new Bench()
    await bench.create(0, 'first')
    await bench.create(1, 'second')
    expect(bench.judge().unaskedLabels).toHaveLength(1)
  })

  it('accepts a second label if the operator chose it in a question about the first label, but not if the question was about another label or the operator decided otherwise', async () => {
    const wanted = await oneAfterTheOther()
    wanted.desk(1).decided('go_on', 'first', '1')
    expect(wanted.judge().broken).toEqual([])
    const somethingElse = await oneAfterTheOther()
    somethingElse.desk(1).decided('go_on', 'another', '1')
    expect(somethingElse.judge().unaskedLabels).toHaveLength(1)
    const otherwise = await oneAfterTheOther()
    otherwise.desk(1).decided('later', 'first', '1')
    expect(otherwise.judge().unaskedLabels).toHaveLength(1)
  })

  it('accepts a second label if the card showed the first label when the operator requested the second label', async () => {
    const bench = await oneAfterTheOther()
    bench.desk(1).serverId = 'second'
    expect(bench.judge(wishOf(1)).unaskedLabels).toHaveLength(1)
    expect(bench.judge(wishOf(1, 'another')).unaskedLabels).toHaveLength(1)
    expect(bench.judge(wishOf(1, 'first')).broken).toEqual([])
  })

  it('reports two labels that one desk made of a shipment without a decision of its operator', async () => {
    const bench = new Bench()
    await bench.look(0)
    await bench.create(0, 'first')
    await bench.create(0, 'second')
    expect(bench.judge().doubled).toHaveLength(1)
  })

  it('counts a label that two desks regard as their own, but reports no broken guarantee', async () => {
    const bench = new Bench()
    await bench.look(0)
    await bench.create(0, 'first')
    bench.desk(0).serverId = 'first'
    bench.desk(1).serverId = 'first'
    expect(bench.judge()).toMatchObject({ claimedTwice: [{ what: 'label' }], broken: [] })
    bench.desk(1).decided('adopt', 'first', '1')
    expect(bench.judge().claimedTwice).toEqual([])
  })

  it('counts a label that one desk made and only another desk regards as its own, but reports no broken guarantee', async () => {
    const bench = new Bench()
    await bench.look(0)
    await bench.create(0, 'first')
    bench.desk(1).serverId = 'first'
    expect(bench.judge()).toMatchObject({ misclaimed: [{ what: 'label' }], broken: [] })
  })

  it("reports a label as lost if the service lacks it, or if the desk discarded it without an operator's decision", async () => {
    const bench = new Bench()
    await bench.look(0)
    bench.desk(0).serverId = 'first'
    expect(bench.judge(wishOf(0)).lost).toHaveLength(1)
    await bench.create(0, 'first')
    expect(bench.judge(wishOf(0)).lost).toEqual([])
    bench.desk(0).state = 'discarded'
    expect(bench.judge(wishOf(0)).lost).toHaveLength(1)
    bench.desk(0).decided('discard', 'another', '0')
    expect(bench.judge(wishOf(0)).lost).toEqual([])
  })
})
