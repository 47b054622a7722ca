import { beforeEach, describe, expect, it } from 'vitest'
import { PrinterWatch } from '#desk/paper/printer-watch.ts'
import type { PrinterCondition, PrinterPort } from '#desk/ports/printers.ts'
import { failure } from '#shared/errors/catalogue.ts'

const ready: PrinterCondition = { state: 'ready', failure: null }
const paperOut: PrinterCondition = { state: 'refused', failure: failure('printer.refused') }

/** The reads of the status that the printers have begun, in order. */
let reads: { readonly name: string; readonly end: (condition: PrinterCondition) => void }[]
let printer: PrinterPort
let watch: PrinterWatch

const printerCalled = (name: string): PrinterPort =>
  ({
    name,
    status: () => new Promise((resolve) => reads.push({ name, end: resolve })),
  }) as Partial<PrinterPort> as PrinterPort

beforeEach(() => {
  reads = []
  printer = printerCalled('p')
  watch = new PrinterWatch({
    clock: { now: () => 0, ticks: () => 0, after: () => () => undefined },
    printer: () => printer,
    changed: () => undefined,
  })
})

describe('the reads of the status of a printer', () => {
  it('are two for 1,000 calls during a read: the read under way, and one that begins after it for all these calls', async () => {
    const first = watch.look()
    const calls = Array.from({ length: 1_000 }, () => watch.look())
    expect(reads).toHaveLength(1)
    reads[0]?.end(paperOut)
    await first
    expect(watch.condition).toEqual(paperOut)
    await Promise.resolve()
    expect(reads).toHaveLength(2)
    reads[1]?.end(ready)
    await Promise.all(calls)
    expect(watch.condition).toEqual(ready)
    expect(reads).toHaveLength(2)
  })

  it('do not change the condition if the printer was replaced during the read', async () => {
    const first = watch.look()
    printer = printerCalled('q')
    const second = watch.look()
    reads[0]?.end(paperOut)
    await first
    expect(watch.condition.state).toBe('unknown')
    await Promise.resolve()
    expect(reads.map(({ name }) => name)).toEqual(['p', 'q'])
    reads[1]?.end(ready)
    await second
    expect(watch.condition).toEqual(ready)
  })

  it('never run at the same time, whenever a further call is made after the end of a read', async () => {
    for (let turns = 0; turns < 12; turns++) {
      reads = []
      let [running, most] = [0, 0]
      const status = (): Promise<PrinterCondition> => {
        most = Math.max(most, ++running)
        return new Promise((resolve) => reads.push({ name: 'p', end: resolve })).then(
          () => (running--, ready),
        )
      }
      printer = { ...printerCalled('p'), status }
      const calls = [watch.look(), watch.look()]
      reads[0]?.end(ready)
      for (let turn = 0; turn < turns; turn++) await Promise.resolve()
      calls.push(watch.look())
      for (let at = 1; at < 4; at++) {
        await new Promise((resolve) => setImmediate(resolve))
        reads[at]?.end(ready)
      }
      await Promise.all(calls)
      expect(most).toBe(1)
    }
  })

  it('replace the outcome of a job at a printer that was replaced during the job', async () => {
    const old = printer
    printer = printerCalled('q')
    const noted = watch.after({ kind: 'refused', failure: failure('printer.refused') }, old)
    expect(watch.condition.state).toBe('unknown')
    expect(reads.map(({ name }) => name)).toEqual(['q'])
    reads[0]?.end(ready)
    await noted
    expect(watch.condition).toEqual(ready)
  })

  it('continue after a read that failed', async () => {
    printer = { ...printer, status: () => Promise.reject(new Error('broken driver')) }
    const first = watch.look()
    const second = watch.look()
    await expect(first).rejects.toThrow('broken driver')
    await expect(second).rejects.toThrow('broken driver')
    printer = printerCalled('p')
    const third = watch.look()
    reads[0]?.end(ready)
    await third
    expect(watch.condition).toEqual(ready)
  })
})
