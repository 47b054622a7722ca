import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { SetupState } from '#features/setup/setup.state.svelte.ts'
import { SpeedState } from '#features/setup/speed.state.svelte.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MemoryDesk } from '#support/memory-desk/memory-desk.ts'
import { sampleSpeed } from '#support/memory-desk/speed.ts'

let desk: MemoryDesk
let speed: SpeedState

beforeEach(() => {
  vi.useFakeTimers()
  desk = new MemoryDesk()
  speed = new SpeedState(desk.bridge)
})
afterEach(() => {
  vi.useRealTimers()
})

it('the speed page reads its figures when it opens and then every two seconds until it closes', async () => {
  expect([speed.view, speed.isEmpty]).toEqual([null, false])
  const stop = speed.follow()
  await vi.advanceTimersByTimeAsync(0)
  expect([speed.view?.rows.length, speed.isEmpty]).toEqual([3, true])
  desk.world.speed = sampleSpeed(Date.now())
  await vi.advanceTimersByTimeAsync(2_000)
  expect([speed.view?.rows[0]?.count, speed.isEmpty]).toEqual([1_284, false])
  stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(desk.calls).toEqual(['speed:today', 'speed:today'])
})

it('the speed page keeps its figures and shows the failure while new figures cannot be read', async () => {
  desk.world.speed = sampleSpeed(Date.now())
  const stop = speed.follow()
  await vi.advanceTimersByTimeAsync(0)
  desk.world.failures['speed:today'] = failure('bridge.too_many_calls')
  await vi.advanceTimersByTimeAsync(2_000)
  expect([speed.failure?.code, speed.view?.rows.length]).toEqual(['bridge.too_many_calls', 3])
  delete desk.world.failures['speed:today']
  await vi.advanceTimersByTimeAsync(2_000)
  expect(speed.failure).toBeNull()
  stop()
})

it('the operator leaves the speed page without a question', () => {
  const setup = new SetupState(desk.bridge, () => undefined)
  setup.openPart('speed')
  let left = 0
  setup.close(() => left++)
  expect([left, setup.part, setup.isChanged]).toEqual([1, 'speed', false])
})
