import { describe, expect, it } from 'vitest'
import { Booked } from '#features/modification/booked.state.svelte.ts'
import { ok } from '#shared/errors/result.ts'
import { MemoryDesk, memoryWorld } from '#support/memory-desk/memory-desk.ts'
import { sampleModification } from '#support/memory-desk/modifications.ts'

const nowMs = Date.parse('2026-11-21T14:07:00Z')

describe('Booked (the bookings made at this desk)', () => {
  it('keeps the state of a booking from its newest event if an older response arrives after the event', async () => {
    const sample = sampleModification(nowMs)
    const offline = { code: 'network.offline' as const, params: {} }
    const { bridge } = new MemoryDesk(memoryWorld(() => nowMs))
    const older = { ...sample, create: 'queued' as const, failure: null, told: 1 }
    const booked = new Booked({
      bridge: { ...bridge, modification: { ...bridge.modification, get: () => Promise.resolve(ok(older)) } },
      play: () => undefined,
    })
    booked.onModification({ ...older, failure: offline, told: 2 })
    await booked.look(sample.id)
    booked.add(older)
    booked.onModification(older)
    expect(booked.of(sample.id)?.failure).toEqual(offline)
  })

  it('plays one sound when a booking is disapproved, and none when it is approved', () => {
    const sounds: string[] = []
    const { bridge } = new MemoryDesk(memoryWorld(() => nowMs))
    const booked = new Booked({ bridge, play: (sound) => void sounds.push(sound) })
    const sent = { ...sampleModification(nowMs), create: 'done' as const, status: 'created', told: 1 }
    booked.add(sent)
    booked.onModification({ ...sent, status: 'approved', told: 2 })
    expect(sounds).toEqual([])
    booked.onModification({ ...sent, status: 'disapproved', told: 3 })
    booked.onModification({ ...sent, status: 'disapproved', statusAsOf: sent.createdAt, told: 4 })
    expect(sounds).toEqual(['look'])
  })
})
