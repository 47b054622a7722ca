import type { LabelId } from '#shared/domain/ids.ts'
import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { eventually } from '#support/desk-bench.ts'
import { anyMethodId, anySender, byHand, byShipment } from '#support/label-wishes.ts'
import { QueueBench, value } from '#support/queue-bench.ts'
import { serverIdOf } from '#support/ids.ts'
import type { QueueLine } from '#shared/bridge/queue-views.ts'

/** Before the desk sends a write that has waited in the queue, it checks the write again. */

let station: QueueBench

beforeEach(async () => {
  station = await QueueBench.start()
})
afterEach(() => station.stop())

const shipmentId = (index: number): string => station.shipmentId(index)

describe('a label that waited in the queue', () => {
  it('waits for a decision if another desk made a label of the shipment, and does not block other labels', async () => {
    const older = station.theirLabel(0)
    older.wire.created_at = new Date(Date.now() - 3600_000).toISOString()
    const { desk } = station
    const made = await station.whileOffline(async () =>
      value(await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null })),
    )
    const other = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(1)), request: true, seen: null }),
    )
    const theirs = station.theirLabel(0)
    await station.online()
    const line = await station.question('return_label.create')
    expect(line).toMatchObject({
      subject: { kind: 'return_label', id: made.id },
      state: 'queued',
      waitsFor: 'operator',
      madeBy: 'sam',
      brief: { kind: 'return_label', shipmentReference: 'SHP00000000001' },
      question: { kind: 'exists', records: [{ serverId: theirs.wire.id, requested: false }] },
      choices: ['adopt', 'go_on', 'edit', 'discard', 'later'],
    })
    await eventually(() => station.label(other.id).print?.file)
    expect(station.lines().find(({ type }) => type === 'return_label.request')).toMatchObject({
      waitsFor: 'earlier',
      after: line.commandId,
    })
    expect(desk.status().unsent).toMatchObject({ waiting: 1, asking: 1 })

    value(desk.queue.decide({ ...line, decision: { kind: 'adopt', serverId: theirs.wire.id } }))
    await eventually(() => station.label(made.id).print?.file)
    expect(station.label(made.id).serverId).toBe(theirs.wire.id)
    expect(theirs.requests).toBe(1)
    expect(station.service.labelsOf(shipmentId(0))).toHaveLength(2)
    expect(station.lines()).toEqual([])
  })

  it('shows its question until the operator has answered it', async () => {
    const { desk } = station
    const made = await station.whileOffline(async () =>
      value(await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null })),
    )
    const asked: (string | null)[] = []
    desk.on('returnLabel', ({ id, asked: write }) => {
      if (id === made.id) asked.push(write && `${write.commandId} ${write.question?.kind ?? ''}`)
    })
    const theirs = station.theirLabel(0)
    await station.online()
    const line = await station.question('return_label.create')
    await eventually(() => asked.includes(`${line.commandId} exists`))
    expect(station.label(made.id).asked?.question).toMatchObject({
      records: [{ serverId: theirs.wire.id }],
    })

    value(desk.queue.decide({ ...line, decision: { kind: 'go_on' } }))
    expect(asked.at(-1)).toBeNull()
    expect(station.label(made.id).asked).toBeNull()
  })

  it('adopts a label that another client has already requested if the operator chooses this, and is printed', async () => {
    const { desk, service } = station
    const made = await station.whileOffline(async () =>
      value(await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null })),
    )
    const theirs = station.theirLabel(0)
    theirs.request(`${service.url}/file.pdf`)
    await station.online()
    const line = await station.question('return_label.create')
    value(desk.queue.decide({ ...line, decision: { kind: 'adopt', serverId: theirs.wire.id } }))
    await eventually(() => station.label(made.id).stored && station.label(made.id).request === 'done')
    expect(station.label(made.id).print).toMatchObject({ isReprint: false })
    await eventually(() => station.label(made.id).print?.file)
    expect(theirs.requests).toBe(1)
    expect(await readdir(station.bench.printFolder)).toHaveLength(1)
  })

  it('becomes a second label of the shipment if the operator chooses this, and leads to no notice', async () => {
    const { desk } = station
    const made = await station.whileOffline(async () =>
      value(await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: true, seen: null })),
    )
    const theirs = station.theirLabel(0)
    await station.online()
    const line = await station.question('return_label.create')
    expect(desk.queue.decide({ ...line, decision: { kind: 'later' } })).toMatchObject({ ok: true })
    expect(desk.queue.decide({ ...line, decision: { kind: 'send_again' } })).toMatchObject({
      error: { code: 'queue.moved_on' },
    })
    expect(
      desk.queue.decide({ ...line, decision: { kind: 'adopt', serverId: serverIdOf('another') } }),
    ).toMatchObject({
      error: { code: 'queue.moved_on' },
    })
    value(desk.queue.decide({ ...line, decision: { kind: 'go_on' } }))
    await eventually(() => station.label(made.id).print?.file)
    expect(station.label(made.id).serverId).not.toBe(theirs.wire.id)
    expect(theirs.requests).toBe(0)
    // The operator has chosen to make a second label, so the desk creates no notice about the two labels.
    expect(desk.queue.list().notices).toEqual([])
  })

  it('leads to a question if its shipping method no longer exists; the operator can then move its data back to the label form', async () => {
    const { desk, service } = station
    const made = await station.whileOffline(async () =>
      value(await desk.returnLabel.make({ mode: byHand(), request: true, seen: null })),
    )
    service.hasMethod = false
    await station.online()
    const line = await station.question('return_label.create')
    expect(line).toMatchObject({
      question: { kind: 'changed' },
      failure: { code: 'return_label.method_gone' },
      choices: ['edit', 'retry', 'discard', 'later'],
    })
    expect(value(desk.queue.edit({ commandId: line.commandId }))).toEqual({ place: 'label_form' })
    expect(desk.returnLabel.readDraft()).toMatchObject({
      shippingMethodId: anyMethodId,
      externalReference: made.externalReference,
      sender: { addressed_to: anySender.addressed_to, zipcode: anySender.zipcode },
    })
    expect(station.label(made.id)).toMatchObject({ create: 'discarded', request: 'discarded' })
    expect(station.lines()).toEqual([])
    expect(service.labels).toEqual([])
  })

  it('is sent in spite of a missing shipping method if the operator decides so', async () => {
    const { desk, service } = station
    const made = await station.whileOffline(async () =>
      value(await desk.returnLabel.make({ mode: byHand(), request: false, seen: null })),
    )
    service.hasMethod = false
    await station.online()
    const line = await station.question('return_label.create')
    value(desk.queue.decide({ ...line, decision: { kind: 'retry' } }))
    await eventually(() => station.label(made.id).create === 'done')
  })
})

describe('a change or a request that waited in the queue', () => {
  it('leads to a question if it is a change of a label that another client has requested', async () => {
    const { desk, service } = station
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: false, seen: null }),
    )
    await eventually(() => station.label(made.id).create === 'done')
    await station.whileOffline(() => desk.returnLabel.patch({ id: made.id, sender: { city: 'Breda' } }))
    service.labels[0]?.request(`${service.url}/file.pdf`)
    await station.online()
    const line = await station.question('return_label.patch')
    expect(line).toMatchObject({
      state: 'queued',
      question: { kind: 'changed' },
      failure: { code: 'return_label.already_requested' },
    })
    expect(value(desk.queue.edit({ commandId: line.commandId }))).toEqual({
      place: 'label',
      labelId: made.id,
    })
    expect(service.labels[0]?.patches).toBe(0)
  })

  it('leads to a print if it is a request of a label that another client has already requested', async () => {
    const { desk, service } = station
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: false, seen: null }),
    )
    await eventually(() => station.label(made.id).create === 'done')
    await station.whileOffline(() => desk.returnLabel.request({ id: made.id }))
    service.labels[0]?.request(`${service.url}/file.pdf`)
    await station.online()
    await eventually(() => station.label(made.id).print?.file)
    expect(service.labels[0]?.requests).toBe(1)
    expect(station.lines()).toEqual([])
  })

  it('leads to a question and a notice if it is a request of a label that another client has cancelled', async () => {
    const { desk, service } = station
    const made = value(
      await desk.returnLabel.make({ mode: byShipment(shipmentId(0)), request: false, seen: null }),
    )
    await eventually(() => station.label(made.id).create === 'done')
    await station.whileOffline(() => desk.returnLabel.request({ id: made.id }))
    const [label] = service.labels
    if (label) label.isCancelled = true
    await station.online()
    const line = await station.question('return_label.request')
    expect(line).toMatchObject({
      state: 'rejected',
      question: { kind: 'refused' },
      failure: { code: 'return_label.cancelled' },
      choices: ['edit', 'retry', 'discard'],
    })
    const [notice] = desk.queue.list().notices
    expect(notice).toMatchObject({ kind: 'cancelled_elsewhere', subject: { id: made.id }, records: [] })
    expect(desk.status()).toMatchObject({ notices: 1, unsent: { waiting: 0, asking: 1 } })
    value(desk.queue.decide({ ...line, decision: { kind: 'discard', reason: 'cancelled by the office' } }))
    expect(desk.queue.dismiss({ noticeId: notice?.id ?? '' })).toEqual({ lines: [], notices: [] })
  })
})

describe('a booking that waited in the queue', () => {
  it('leads to a question if its article no longer exists, and the operator can make it a draft again', async () => {
    const { desk, service } = station
    await station.enterLoss()
    const { id } = await station.whileOffline(() => value(desk.modification.book()))
    service.variants.splice(0)
    await station.online()
    const line = await station.question('modification.create')
    expect(line).toMatchObject({
      question: { kind: 'changed' },
      failure: { code: 'article.gone', params: { article: 'A-1' } },
      brief: { kind: 'modification', reason: 'LOST', lines: [{ articleCode: 'A-1', quantity: -2 }] },
    })
    expect(value(desk.queue.edit({ commandId: line.commandId }))).toEqual({ place: 'modification' })
    expect(desk.modification.draft()).toMatchObject({ reason: 'LOST', lines: [{ quantity: -2 }] })
    expect(value(desk.modification.get({ id })).create).toBe('discarded')
  })

  it('leads to a question if another desk has booked the same lines meanwhile, and the operator can adopt that booking', async () => {
    const { desk, service } = station
    await station.enterLoss()
    const { id } = await station.whileOffline(() => value(desk.modification.book()))
    station.theirLoss(-5)
    const theirs = station.theirLoss()
    await station.online()
    const line = await station.question('modification.create')
    expect(line.question).toMatchObject({
      kind: 'exists',
      records: [
        {
          serverId: theirs.id,
          reference: theirs.reference,
          brief: { locationCode: 'S-401', lines: [{ name: 'Article 1', articleCode: 'A-1', quantity: -2 }] },
        },
      ],
    })
    value(desk.queue.decide({ ...line, decision: { kind: 'adopt', serverId: theirs.id } }))
    expect(value(desk.modification.get({ id }))).toMatchObject({
      create: 'done',
      reference: theirs.reference,
    })
    expect(service.modifications).toHaveLength(2)
  })

  it('is kept if the operator lacks the required permission, and is sent after the login of an operator who has it', async () => {
    const { desk, service } = station
    await station.enterLoss()
    const { id } = await station.whileOffline(() => value(desk.modification.book()))
    service.roles = ['ROLE_MIDDLEWARE_RETURN_LABELS_READ']
    for (const { token } of service.calls) if (token) service.dead.add(token)
    await station.online()
    const line = await station.question('modification.create')
    expect(line).toMatchObject({ question: { kind: 'changed' }, failure: { code: 'api.role_missing' } })
    await station.signIn()
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(station.lines()).toMatchObject([{ question: { kind: 'changed' } }])
    // a retry with the login that lacks the role leads to the question again, and not to a refusal
    service.script = ({ method, path }) =>
      method === 'POST' && path === '/wms/modifications/' ? 'forbidden' : null
    value(
      desk.queue.decide({ ...(await station.question('modification.create')), decision: { kind: 'retry' } }),
    )
    await eventually(() =>
      service.calls.some(({ method, path }) => method === 'POST' && path === '/wms/modifications/'),
    )
    await station.question('modification.create')
    service.script = () => null
    service.roles = ['ROLE_MIDDLEWARE_MODIFICATIONS_CREATE']
    await station.signIn()
    await eventually(() => value(desk.modification.get({ id })).create === 'done')
    expect(station.lines()).toEqual([])
  })

  it('stays in the queue with a question if the service refuses it because the operator lacks a permission', async () => {
    const { desk, service } = station
    await station.enterLoss()
    await station.whileOffline(() => value(desk.modification.book()))
    service.script = ({ method, path }) =>
      method === 'POST' && path === '/wms/modifications/' ? 'forbidden' : null
    await station.online()
    expect(await station.question('modification.create')).toMatchObject({
      state: 'queued',
      question: { kind: 'changed' },
      failure: { code: 'api.role_missing' },
    })
  })
})

describe.each([
  'no_such_path',
  'server_error_before',
  'unauthorised',
  'too_many',
  'portal_page',
  'reset_before',
] as const)('a waiting write for which the list of earlier records cannot be read (%s)', (fault) => {
  const breakList = (path: string): void => {
    station.service.script = (call) => (call.method === 'GET' && call.path === path ? fault : null)
  }
  /** Waits for a question about the write. Meanwhile other calls of the desk succeed. */
  const questionOf = async (type: string): Promise<QueueLine> => {
    const others = setInterval(() => void station.probe(), 30)
    try {
      return await station.question(type)
    } finally {
      clearInterval(others)
    }
  }
  const question = {
    state: 'queued',
    question: { kind: 'changed' },
    failure: { code: 'api.not_checked' },
  }

  it('leads to a question, and is sent once, without the check, if the operator retries it: a booking', async () => {
    const { desk, service } = station
    await station.enterLoss()
    const { id } = await station.whileOffline(() => value(desk.modification.book()))
    breakList('/wms/modifications/')
    await station.online()
    const line = await questionOf('modification.create')
    expect(line).toMatchObject(question)
    expect(service.modifications).toHaveLength(0)
    value(desk.queue.decide({ ...line, decision: { kind: 'retry' } }))
    await eventually(() => value(desk.modification.get({ id })).create === 'done')
    expect(service.modifications).toHaveLength(1)
  })

  it('leads to a question, and is sent once, without the check, if the operator retries it: a label', async () => {
    const { desk, service } = station
    const { id } = await station.whileOffline(async () =>
      value(await desk.returnLabel.make({ mode: byHand(), request: false, seen: null })),
    )
    breakList('/wms/return-labels/')
    await station.online()
    const line = await questionOf('return_label.create')
    expect(line).toMatchObject(question)
    expect(service.labels).toHaveLength(0)
    value(desk.queue.decide({ ...line, decision: { kind: 'retry' } }))
    await eventually(() => station.label(id).create === 'done')
    expect(service.labels).toHaveLength(1)
  })
})

describe.each(['redirect', 'portal_page'] as const)(
  'a write that a firewall responds to each time (%s)',
  (fault) => {
    it('leads to a question while the desk stays online, and is sent once if the operator retries it after the end of the block', async () => {
      const { desk, service } = station
      const lost: string[] = []
      const others = setInterval(() => {
        lost.push(...[desk.status().line.state].filter((state) => state === 'offline'))
        station.probe()
      }, 30)
      try {
        await station.enterLoss()
        service.script = ({ method, path }) =>
          method === 'POST' && path === '/wms/modifications/' ? fault : null
        const { id } = value(desk.modification.book())
        const line = await station.question('modification.create')
        expect(line).toMatchObject({
          state: 'queued',
          question: { kind: 'changed' },
          failure: { code: 'api.blocked' },
        })
        expect(line.choices).toEqual(expect.arrayContaining(['retry', 'discard']))
        expect(lost).toEqual([])
        service.script = () => null
        value(desk.queue.decide({ ...line, decision: { kind: 'retry' } }))
        await eventually(() => value(desk.modification.get({ id })).create === 'done')
        expect(service.modifications).toHaveLength(1)
      } finally {
        clearInterval(others)
      }
    })
  },
)

describe('writes that waited for minutes because the list of earlier records could not be read', () => {
  it('are all sent after the list can be read again and the operator retries the oldest of them', async () => {
    const { desk, service } = station
    const ids = await station.whileOffline(async () => {
      const made: LabelId[] = []
      for (let nth = 0; nth < 3; nth++)
        made.push(value(await desk.returnLabel.make({ mode: byHand(), request: false, seen: null })).id)
      return made
    })
    service.script = ({ method, path }) =>
      method === 'GET' && path === '/wms/return-labels/' ? 'no_such_path' : null
    await station.online()
    await eventually(() => station.lines().filter(({ question }) => question !== null).length === 3)
    service.script = () => null
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(service.labels).toHaveLength(0)
    const [oldest] = station.lines().filter(({ subject }) => subject.id === ids[0])
    if (!oldest) throw new Error('the question is missing')
    value(desk.queue.decide({ ...oldest, decision: { kind: 'retry' } }))
    await eventually(() => ids.every((id) => station.label(id).create === 'done'))
    expect(service.labels).toHaveLength(3)
  })
})

describe('a write behind a cache that sends lists again', () => {
  it.each(['obedient', 'marked'] as const)(
    'is not sent twice if its response was lost and the cache is %s',
    async (cache) => {
      const { desk, service } = station
      service.cache = cache
      let creations = 0
      const isCreation = (method: string, path: string): boolean =>
        method === 'POST' && path === '/wms/return-labels/'
      service.script = ({ method, path }) =>
        isCreation(method, path) && ++creations === 1 ? 'reset_after' : null
      const made = value(await desk.returnLabel.make({ mode: byHand(), request: false, seen: null }))
      const isDone = (): boolean => station.label(made.id).create === 'done'
      const hasQuestion = (): boolean => station.lines().some(({ question }) => question !== null)
      await eventually(() => creations > 1 || isDone() || hasQuestion())
      expect(creations).toBe(1)
      if (cache === 'marked') {
        expect(service.resent).toBeGreaterThan(1)
        expect(hasQuestion()).toBe(true)
        service.cache = null
      }
      await eventually(isDone)
      expect(creations).toBe(1)
      expect(service.labels.map(({ wire }) => wire.id)).toEqual([station.label(made.id).serverId])
    },
  )
})
