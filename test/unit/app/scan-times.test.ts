import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ScandeskBridge } from '#shared/bridge/contract.ts'
import type { SpeedSample } from '#shared/bridge/speed-views.ts'
import { ok } from '#shared/errors/result.ts'
import { ScanTimes } from '../../../src/app/scan-times.ts'

const wallMs = Date.parse('2026-11-21T14:07:00Z')

let ticks: number
let clockSetMs: number
let frames: (() => void)[]
let sent: SpeedSample[][]
let times: ScanTimes

beforeEach(() => {
  vi.useFakeTimers()
  ticks = 5_000
  clockSetMs = 0
  frames = []
  sent = []
  const bridge: Pick<ScandeskBridge, 'speed'> = {
    speed: {
      add: ({ samples }) => {
        sent.push([...samples])
        return Promise.resolve(ok(undefined))
      },
      today: () => expect.unreachable(),
    },
  }
  times = new ScanTimes(bridge, {
    now: () => ({ ticksMs: ticks, wallMs: wallMs + ticks + clockSetMs }),
    afterFrame: (drawn) => void frames.push(drawn),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

function draw(): void {
  for (const drawn of frames.splice(0)) drawn()
}

/** Lets two seconds pass. Returns the measured times that have been sent since the start of the test. */
function samples(): (readonly [string, number])[] {
  vi.advanceTimersByTime(2_000)
  return sent.flat().map(({ kind, ms }) => [kind, ms] as const)
}

describe('the measured times of a scan', () => {
  it('are measured from its last key to its sound, and from its last key to the frame with its card', () => {
    const arrived = times.arrivalOf(4_990)
    ticks = 5_012
    times.sounded()
    ticks = 5_014
    times.handled(arrived, true)
    expect(samples()).toEqual([['sound', 22]])
    ticks = 5_031
    draw()
    expect(samples()).toEqual([
      ['sound', 22],
      ['card', 41],
    ])
  })

  it('begin at the present time of the clock if the time stamp of the last key is ahead of the clock', () => {
    const arrived = times.arrivalOf(9_000)
    ticks = 5_030
    times.sounded()
    times.handled(arrived, false)
    expect(samples()).toEqual([['sound', 30]])
  })

  it('begin, for a serial scanner, when main has read the last byte of the scan', () => {
    const arrived = times.arrivalAt(new Date(wallMs + 4_970).toISOString())
    ticks = 5_010
    times.sounded()
    times.handled(arrived, false)
    expect(samples()).toEqual([['sound', 40]])
  })

  it('include no time to the card if the scan is a command, and no time to the sound if the scan has no sound', () => {
    times.sounded()
    ticks = 5_100
    const arrived = times.arrivalOf(5_090)
    times.handled(arrived, false)
    expect(frames).toEqual([])
    expect(samples()).toEqual([])
  })

  it('include no time to the card if a later scan was handled first', () => {
    const first = times.arrivalOf(4_900)
    const second = times.arrivalOf(4_950)
    times.sounded()
    times.handled(second, true)
    times.sounded()
    times.handled(first, true)
    draw()
    expect(samples().map(([kind]) => kind)).toEqual(['sound', 'sound', 'card'])
  })

  it('are dropped if the clock was set during the scan, or if the time of the scan is in the future', () => {
    const arrived = times.arrivalOf(4_990)
    clockSetMs = -3_600_000
    times.sounded()
    times.handled(arrived, true)
    clockSetMs = 28_800_000
    draw()
    clockSetMs = 0
    times.handled(times.arrivalAt(new Date(wallMs + 9_000).toISOString()), true)
    draw()
    expect(samples()).toEqual([])
  })

  it('are sent in one batch per two seconds, with at most 200 samples', () => {
    for (let n = 0; n < 250; n++) {
      const arrived = times.arrivalOf(ticks)
      ticks += 10
      times.sounded()
      times.handled(arrived, false)
    }
    expect(sent).toEqual([])
    expect(samples()).toHaveLength(200)
    expect(sent).toHaveLength(1)
    vi.advanceTimersByTime(60_000)
    expect(sent).toHaveLength(1)
  })
})
