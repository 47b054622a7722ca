import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Due, mostAtOnce, Slots } from '#desk/outbox/slots.ts'
import { count, seed } from '#support/counts.ts'
import { commandIdOf } from '#support/ids.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/**
 * Creates slots for commands that run until the test ends them. The first letter of an id is `R` for a repeated command,
 * and `A` for a command for which an operator has just asked.
 */
function createBench() {
  const slots = new Slots(() => undefined)
  const running = new Map<string, () => void>()
  const fill = (ids: readonly string[]): void => {
    const toDue = (id: string): Due => ({
      id: commandIdOf(id),
      isRepeated: id.startsWith('R'),
      isAwaited: id.startsWith('A'),
      run: () => new Promise((resolve) => running.set(id, resolve)),
    })
    slots.fill(ids.filter((id) => !running.has(id)).map(toDue))
  }
  const end = async (id: string): Promise<void> => {
    running.get(id)?.()
    running.delete(id)
    await turn()
  }
  return { fill, end, running: () => [...running.keys()] }
}

describe('Slots.fill()', () => {
  it('starts three of five repeated commands, and starts a later command without an attempt at once', () => {
    const { fill, running } = createBench()
    fill(['R0', 'R1', 'R2', 'R3', 'R4'])
    expect(running()).toEqual(['R0', 'R1', 'R2'])
    fill(['R3', 'R4', 'N0'])
    expect(running()).toEqual(['R0', 'R1', 'R2', 'N0'])
  })

  it('starts three of five commands without an attempt, and only one of the repeated commands that are before them in the queue', () => {
    const { fill, running } = createBench()
    fill(['R0', 'R1', 'N0', 'N1', 'N2', 'N3', 'N4'])
    expect(running()).toEqual(['N0', 'N1', 'N2', 'R0'])
  })

  it('uses all slots for commands without an attempt, and gives the next free one to a repeated command', async () => {
    const { fill, end, running } = createBench()
    fill(['N0', 'N1', 'N2', 'N3'])
    expect(running()).toEqual(['N0', 'N1', 'N2', 'N3'])
    await end('N2')
    fill(['N4', 'R0'])
    expect(running()).toEqual(['N0', 'N1', 'N3', 'R0'])
  })

  it('gives one free slot to a command for which an operator has just asked, before older commands and not more', async () => {
    const { fill, end, running } = createBench()
    fill(['N0', 'N1', 'N2', 'N3', 'N4', 'A0', 'A1'])
    expect(running()).toEqual(['A0', 'N0', 'N1', 'N2'])
    await end('N1')
    fill(['N3', 'N4', 'A1'])
    expect(running()).toEqual(['A0', 'N0', 'N2', 'N3'])
    await end('A0')
    fill(['R0', 'N4', 'A1'])
    expect(running()).toEqual(['N0', 'N2', 'N3', 'R0'])
    await end('N0')
    fill(['R1', 'N4', 'A1'])
    expect(running()).toEqual(['N2', 'N3', 'R0', 'A1'])
  })

  it('never lets a command without an attempt wait only for repeated commands, nor a repeated command only for commands without an attempt, in whatever order commands end', async () => {
    const cases = fc.array(
      fc.record({
        ...{ first: fc.nat(6), awaited: fc.nat(2), repeated: fc.nat(6) },
        ends: fc.array(fc.nat(3), { maxLength: 3 }),
      }),
      { maxLength: 12 },
    )
    await fc.assert(
      fc.asyncProperty(cases, async (steps) => {
        const { fill, end, running } = createBench()
        let waiting: string[] = []
        let made = 0
        for (const { first, awaited, repeated, ends } of steps) {
          const add = (kind: string): string => `${kind}${made++}`
          const added = [
            ...Array.from({ length: repeated }, () => 'R'),
            ...Array.from({ length: first }, () => 'N'),
            ...Array.from({ length: awaited }, () => 'A'),
          ]
          waiting.push(...added.map(add))
          for (const nth of ends) await end(running()[nth] ?? '')
          const before = running()
          fill(waiting)
          const now = running()
          const started = now.filter((id) => !before.includes(id))
          waiting = waiting.filter((id) => !now.includes(id))
          const ofKind = (ids: readonly string[], kind: string): number =>
            ids.filter((id) => id.startsWith(kind)).length
          expect(now.length).toBeLessThanOrEqual(mostAtOnce)
          expect(ofKind(now, 'R')).toBeLessThan(mostAtOnce)
          // an awaited command waits only while another one runs, while all slots were used, or for the one slot that
          // became free and was given to a repeated command
          if (ofKind(waiting, 'A') > 0 && ofKind(now, 'A') === 0 && before.length < mostAtOnce)
            expect([before.length, started.map((id) => id[0])]).toEqual([mostAtOnce - 1, ['R']])
          // at most one awaited command at a time starts before older ones without an attempt
          const oldest = waiting.find((id) => id.startsWith('N'))
          const isLater = (id: string): boolean => Number(id.slice(1)) > Number(oldest?.slice(1) ?? Infinity)
          const overtaking = started.filter((id) => id.startsWith('A') && isLater(id))
          expect(overtaking.length).toBeLessThanOrEqual(ofKind(before, 'A') > 0 ? 0 : 1)
          // a command without an attempt waits only while all slots are used; slots that become free are then not given
          // to repeated commands
          const areFirst = ofKind(waiting, 'N') + ofKind(waiting, 'A') > 0
          if (areFirst) expect(now).toHaveLength(mostAtOnce)
          if (areFirst && ofKind(before, 'R') > 0) expect(ofKind(started, 'R')).toBe(0)
          // a repeated command waits only while another repeated command runs, unless all slots were used before it was
          // due
          if (ofKind(waiting, 'R') > 0)
            expect(ofKind(now, 'R') > 0 || before.length === mostAtOnce).toBe(true)
        }
      }),
      { seed, numRuns: count(200, 5_000) },
    )
  })
})
