import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import type { Desk } from '#desk/desk.ts'
import { DeskBench, logIn } from '#support/desk-bench.ts'
import { ScriptedService } from '#support/scripted-service.ts'

const dayMs = 24 * 3600_000
let ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.toReversed()) await end()
  ends = []
})

/** The scripted service behind a gateway that sets the Date header. */
async function serve(date: () => Date | null): Promise<string> {
  const service = new ScriptedService()
  await service.start()
  const gateway: Server = createServer((asked, answer) => {
    const { method, headers } = asked
    const onward = request(service.url + (asked.url ?? ''), { method, headers }, (told) => {
      const { date: _, ...others } = told.headers
      const said = date()
      answer.sendDate = false
      answer.writeHead(told.statusCode ?? 502, { ...others, ...(said && { date: said.toUTCString() }) })
      told.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    asked.pipe(onward)
  })
  await new Promise<void>((resolve) => gateway.listen(0, '127.0.0.1', resolve))
  ends.push(async () => {
    gateway.closeAllConnections()
    await new Promise((resolve) => gateway.close(resolve))
    await service.stop()
  })
  return `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`
}

it.each([
  {
    name: 'sends the correct date in its responses',
    date: (now: number) => new Date(now),
    heldAt: [400, 402, 404, 406],
  },
  {
    name: 'sends a date of 1971 in its responses',
    date: () => new Date(Date.UTC(1971, 0, 1)),
    heldAt: [400, 402],
  },
  { name: 'sends no date in its responses', date: () => null, heldAt: [400, 402] },
])(
  'if the service $name, a desk that starts every second day deletes a record no later than at the fifth start at which the record is older than 30 days',
  async ({ date, heldAt }) => {
    let days = 0
    const now = (): number => Date.now() + days * dayMs
    const url = await serve(() => date(now()))
    const bench = await DeskBench.create()
    ends.push(() => bench.dispose())
    const open = async (): Promise<Desk> => {
      const desk = await bench.open(() => url, {
        keepDays: 30,
        clock: { now, ticks: () => performance.now() },
      })
      await logIn(desk)
      await desk.storage.keep({ days: 30 })
      return desk
    }
    const first = await open()
    await first.scan.submit({ raw: 'A-SCAN', expect: 'anything' })
    await bench.close(first)
    const held: number[] = []
    for (days of [400, 402, 404, 406, 408]) {
      const desk = await open()
      if (desk.scan.recent().length > 0) held.push(days)
      await bench.close(desk)
    }
    expect(held).toEqual(heldAt)
  },
)
