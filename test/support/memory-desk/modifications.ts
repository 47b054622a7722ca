import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type {
  LocationImport,
  LocationTypeList,
  LocationView,
  ModificationChange,
  ModificationDraft,
  ModificationView,
} from '#shared/bridge/stock-views.ts'
import {
  changeDraft,
  type DraftChange,
  type DraftHistory,
  draftOf,
  missingOf,
  newDraftHistory,
  takesAway,
  undoDraft,
} from '#shared/domain/modification.ts'
import { locationsAtOnce } from '#shared/domain/locations.ts'
import { fail, ok, type Result } from '#shared/errors/result.ts'
import { sampleVariants } from './catalogue.ts'
import { ago, type MemoryCore, type MemoryWorld } from './memory-core.ts'
import { hide, leaveQueue } from './queue.ts'

export const emptyDraft: ModificationDraft = {
  reason: null,
  location: null,
  lines: [],
  note: '',
  step: 1,
  canUndo: false,
  missing: ['reason', 'location', 'lines'],
  corrects: null,
}

export function sampleLocations(nowMs: number): LocationView[] {
  return [
    {
      id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b01',
      code: 'A-03-2',
      source: 'import',
      seenAt: ago(nowMs, 2 * 1440),
    },
    {
      id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b02',
      code: 'A-03-3',
      source: 'import',
      seenAt: ago(nowMs, 2 * 1440),
    },
    { id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b03', code: 'RETOUR-1', source: 'scan', seenAt: ago(nowMs, 40) },
    {
      id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b04',
      code: null,
      source: 'modification',
      seenAt: ago(nowMs, 300),
    },
    {
      id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b05',
      code: 'Q-01',
      source: 'import',
      seenAt: ago(nowMs, 2 * 1440),
    },
  ]
}

export function sampleLocationTypes(nowMs: number): LocationTypeList {
  return {
    types: [
      { id: 'lt-1', code: 'PICK', name: 'Picking shelf', transport: false, pickable: true },
      { id: 'lt-2', code: 'BULK', name: 'Bulk storage', transport: false, pickable: false },
      { id: 'lt-3', code: 'CART', name: 'Returns cart', transport: true, pickable: false },
    ],
    asOf: ago(nowMs, 3),
  }
}

/**
 * A modification whose creation is queued and has not begun. For another state, a test replaces fields of the result.
 */
export function sampleModification(nowMs: number): ModificationView {
  const [oats] = sampleVariants(nowMs)
  return {
    id: 'mo-1',
    serverId: null,
    reference: null,
    status: null,
    statusAsOf: null,
    told: 0,
    reason: 'DEFECTIVE',
    location: { id: '5f0e1c62-8a3d-4f55-9c1e-0d5f1f3a7b01', code: 'A-03-2' },
    lines: oats ? [{ variant: oats, quantity: -2 }] : [],
    note: '',
    create: 'queued',
    bookedBy: 'anna',
    failure: null,
    createdAt: ago(nowMs, 1),
    corrects: null,
    correctedBy: null,
  }
}

/** The draft as the desk stores it. If a test sets `world.draft`, the history for undo starts again. */
class MemoryDraft {
  readonly #world: MemoryWorld
  #history: DraftHistory = newDraftHistory
  #shown: ModificationDraft | null = null

  constructor(world: MemoryWorld) {
    this.#world = world
  }

  read(): DraftHistory {
    const { draft } = this.#world
    if (this.#shown !== draft) {
      const { reason, location, lines, note, step } = draft
      const corrects = draft.corrects?.id
      const state = {
        reason,
        locationId: location?.id ?? null,
        lines,
        note,
        step,
        isStepSaid: false,
        corrects,
      }
      this.#history = [{ seq: 0, cause: 'start', state }]
      this.#shown = draft
    }
    return this.#history
  }

  write(history: DraftHistory): Result<ModificationDraft> {
    const { reason, locationId, lines, note, step, ...rest } = draftOf(history)
    const corrected = this.#world.modifications.find(({ id }) => id === rest.corrects)
    const corrects = corrected ? { id: corrected.id, reference: corrected.reference } : null
    const location = this.#world.locations.find(({ id }) => id === locationId) ?? null
    const missing = missingOf({ reason, locationId: location?.id ?? null, lines })
    const copied = lines.map((line) => ({ variant: { ...line.variant }, quantity: line.quantity }))
    const canUndo = history.length > 1
    this.#history = history
    this.#world.draft = { reason, location, lines: copied, note, step, canUndo, missing, corrects }
    this.#shown = this.#world.draft
    return ok(this.#world.draft)
  }
}

export function modificationMethods(desk: MemoryCore): ScandeskBridge['modification'] {
  const { world } = desk
  const draft = new MemoryDraft(world)
  const found = (id: string): Result<ModificationView> => {
    const booking = world.modifications.find((one) => one.id === id)
    return booking ? ok(booking) : fail('modification.unknown')
  }
  return {
    draft: () => desk.call('modification:draft', () => ok(world.draft)),
    change: (change) =>
      desk.call('modification:change', () => {
        const resolved = resolve(world, change)
        return resolved.ok ? draft.write(changeDraft(draft.read(), resolved.value)) : resolved
      }),
    undo: () => desk.call('modification:undo', () => draft.write(undoDraft(draft.read()))),
    book: () =>
      desk.call('modification:book', () => {
        const booked = bookDraft(desk)
        if (!booked.ok) return booked
        draft.write(newDraftHistory)
        correct(desk, booked.value)
        desk.putModification(booked.value)
        return booked
      }),
    takeBack: ({ id }) =>
      desk.call('modification:takeBack', () => {
        const booking = found(id)
        if (!booking.ok) return booking
        const { create, status, reason, location, lines, note } = booking.value
        const isDisapproved = create === 'done' && status === 'disapproved'
        if (!isDisapproved && create !== 'rejected' && create !== 'discarded')
          return fail('modification.under_way')
        const step = takesAway(reason) ? -1 : 1
        const corrects = isDisapproved ? id : booking.value.corrects?.id
        const kept = {
          reason,
          locationId: location.id,
          lines,
          note,
          step,
          isStepSaid: false,
          corrects,
        } as const
        if (!isDisapproved) desk.putModification({ ...booking.value, create: 'discarded' })
        leaveQueue(desk, id)
        return draft.write(changeDraft(draft.read(), { kind: 'take_back', state: kept }))
      }),
    get: ({ id }) => desk.call('modification:get', () => found(id)),
    recent: () => desk.call('modification:recent', () => ok(world.modifications)),
  }
}

/**
 * Marks a disapproved booking as corrected by another booking. The disapproved booking needs no further decision, so
 * its notice is removed.
 */
function correct(desk: MemoryCore, { id, reference, corrects }: ModificationView): void {
  const before = desk.world.modifications.find((one) => one.id === corrects?.id)
  if (!before) return
  desk.putModification({ ...before, correctedBy: { id, reference } })
  hide(desk, ({ kind, subject }) => kind === 'disapproved' && subject.id === before.id)
}

function bookDraft(desk: MemoryCore): Result<ModificationView> {
  const { reason, location, lines, note, missing, corrects } = desk.world.draft
  if (missing.length > 0 || reason === null || location === null) return fail('modification.incomplete')
  return ok({
    id: desk.id('mo'),
    serverId: null,
    reference: null,
    status: null,
    statusAsOf: null,
    told: 0,
    reason,
    location: { id: location.id, code: location.code },
    lines,
    note,
    create: 'queued',
    bookedBy: desk.world.session.username,
    failure: null,
    createdAt: ago(desk.world.nowMs(), 0),
    corrects,
    correctedBy: null,
  })
}

function resolve(world: MemoryWorld, change: ModificationChange): Result<DraftChange> {
  if (change.kind === 'location')
    return world.locations.some(({ id }) => id === change.locationId) ? ok(change) : fail('location.unknown')
  if (change.kind !== 'add') return ok(change)
  const variant = world.variants.find(({ id }) => id === change.variantId)
  if (!variant) return fail('article.unknown')
  const { id, name, articleCode, ean } = variant
  return ok({ kind: 'add', variant: { id, name, articleCode, ean }, remark: change.remark })
}

export function locationMethods(desk: MemoryCore): ScandeskBridge['location'] {
  const { world } = desk
  return {
    list: ({ after }) =>
      desk.call('location:list', () => {
        const from = after ? world.locations.findIndex(({ id }) => id === after.id) + 1 : 0
        return ok(world.locations.slice(from, from + locationsAtOnce))
      }),
    import: ({ text }) => desk.call('location:import', () => importInto(world, text)),
    name: ({ id, code }) =>
      desk.call('location:name', () => {
        if (world.locations.some((one) => one.code === code && one.id !== id)) {
          return fail('location.code_taken', { code })
        }
        world.locations = world.locations.map((one) => (one.id === id ? { ...one, code } : one))
        const named = world.locations.find((one) => one.id === id)
        return named ? ok(named) : fail('location.unknown')
      }),
    forget: ({ id }) =>
      desk.call('location:forget', () => {
        world.locations = world.locations.filter((one) => one.id !== id)
        return ok(null)
      }),
    types: () => desk.call('location:types', () => ok(world.locationTypes)),
  }
}

function importInto(world: MemoryWorld, text: string): Result<LocationImport> {
  const rows = text.split('\n').map((line) => line.split(/[,;]/).map((cell) => cell.trim()))
  const read = rows.flatMap(([code, id]): LocationView[] =>
    code && id ? [{ id, code, source: 'import', seenAt: ago(world.nowMs(), 0) }] : [],
  )
  if (read.length === 0) return fail('location.file_unreadable')
  const added = read.filter(({ id }) => world.locations.every((known) => known.id !== id))
  world.locations = [...world.locations, ...added]
  const counted = { added: added.length, changed: 0, unchanged: read.length - added.length, skipped: [] }
  return ok(world.locationImport ?? counted)
}
