import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { count, seed } from '#support/counts.ts'
import { DeskBench, eventually, logIn } from '#support/desk-bench.ts'
import { ScriptedService } from '#support/scripted-service.ts'

const child = join(import.meta.dirname, '../support/modification-child.ts')

interface Promised {
  added: number
  booked: number
}

/**
 * Runs a desk in a child process, and kills it `delayMs` after it confirmed `acts` pieces and bookings. Returns how
 * many pieces and bookings the desk confirmed before its end.
 */
async function liveAndDie(
  dataDir: string,
  url: string,
  { acts, delayMs }: { readonly acts: number; readonly delayMs: number },
): Promise<Promised> {
  const running = spawn(process.execPath, [child, dataDir, url], { stdio: ['ignore', 'pipe', 'inherit'] })
  // Waits until the process is reaped, because its id counts as a running process until then.
  const gone: Promise<unknown[]> = once(running, 'exit')
  const promised = { added: 0, booked: 0 }
  let [isReady, isDying] = [false, false]
  for await (const line of createInterface({ input: running.stdout })) {
    if (line === 'ready') isReady = true
    else if (line === 'added') promised.added++
    else if (line === 'booked') promised.booked++
    if (isReady && !isDying && promised.added + promised.booked >= acts) {
      isDying = true
      setTimeout(() => running.kill('SIGKILL'), delayMs)
    }
  }
  expect([isReady, ...(await gone)]).toEqual([true, null, 'SIGKILL'])
  return promised
}

const piecesOf = (lines: readonly { readonly quantity: number }[]): number =>
  lines.reduce((sum, line) => sum + line.quantity, 0)

/** Waits until the desk has completed all its work. Fails if the desk asks the operator a question. */
async function finish(desk: Desk): Promise<void> {
  await logIn(desk)
  await eventually(() => {
    const { unsent } = desk.status()
    expect(unsent.asking).toBe(0)
    return unsent.waiting === 0
  })
}

it(
  'a modification keeps every scanned piece and is sent once although the desk is killed at random moments',
  { timeout: 3_600_000 },
  async () => {
    const moment = fc.record({
      acts: fc.integer({ min: 0, max: 80 }),
      delayMs: fc.integer({ min: 0, max: 15 }),
      serviceDelayMs: fc.integer({ min: 0, max: 15 }),
    })
    const moments = fc.sample(moment, { seed, numRuns: count(4, 100) })
    const all = { added: 0, booked: 0 }
    for (const { serviceDelayMs, ...death } of moments) {
      const bench = await DeskBench.create()
      const service = new ScriptedService()
      service.delayMs = serviceDelayMs
      await service.start()
      try {
        const promised = await liveAndDie(bench.dataDir, service.url, death)
        all.added += promised.added
        all.booked += promised.booked
        const desk = await bench.open(() => service.url)
        const booked = desk.modification.recent()
        const draft = desk.modification.draft()
        // The kill may have come after the desk saved an added piece or a booking and before the process reported it.
        const pieces = piecesOf(booked.flatMap(({ lines }) => lines)) + piecesOf(draft.lines)
        expect(pieces - promised.added, 'pieces').toBeOneOf([0, 1])
        expect(booked.length - promised.booked, 'bookings').toBeOneOf([0, 1])

        await finish(desk)
        const notes = service.modifications.map(({ note }) => note?.replace(/ #[0-9a-f]{20}$/, ''))
        expect(notes.toSorted()).toEqual(booked.map(({ note }) => note).sort())
        for (const { lines, id } of booked) {
          const now = desk.modification.get({ id })
          const arrived = service.modifications.find((one) => now.ok && one.id === now.value.serverId)
          expect(piecesOf(arrived?.modification_lines ?? [])).toBe(piecesOf(lines))
        }
        expect(desk.modification.draft().lines).toEqual(draft.lines)
      } finally {
        await bench.dispose()
        await service.stop()
      }
    }
    expect(Math.min(all.added, all.booked)).toBeGreaterThan(0)
  },
)
