import { beforeEach, expect, it } from 'vitest'
import type { Logger } from '#kit/logger.ts'
import { logSkipped } from '#local/skipped-log.ts'

const uuid = '0192f0c4-7d3e-4c5a-9b1e-3f2a1b4c5d6e'
const row = (id: string | null): { id: string | null; problem: string } => ({ id, problem: 'ean: too_big' })

let lines: unknown[]
let timers: (() => void)[]
let log: ReturnType<typeof logSkipped>
beforeEach(() => {
  lines = []
  timers = []
  const logger = { warn: (facts: unknown) => void lines.push(facts) } as unknown as Logger
  log = logSkipped(logger, (_, action) => void timers.push(action))
})

it('the log of unreadable rows contains the problem of each row, and the id of the row if it is a UUID', () => {
  log('variants', [row(uuid), row('Anna de Vries, Dorpsstraat 1'), row(null)])
  const problem = 'ean: too_big'
  expect(lines).toEqual([
    { list: 'variants', count: 3, rows: [{ id: uuid, problem }, { problem }, { problem }] },
  ])
})

it('the log of unreadable rows gets one line per list, and after a pause a line with the number of further rows', () => {
  for (let page = 0; page < 50; page++) log('variants', [row(uuid), row(null)])
  log('batches', [row(null)])
  expect(lines).toMatchObject([
    { list: 'variants', count: 2 },
    { list: 'batches', count: 1 },
  ])
  for (const end of timers.splice(0)) end()
  expect(lines.slice(2)).toEqual([{ list: 'variants', count: 98 }])
  log('variants', [row(uuid)])
  expect(lines).toHaveLength(4)
})

it('the log of unreadable rows names at most twenty rows in a line', () => {
  log(
    'variants',
    Array.from({ length: 500 }, () => row(uuid)),
  )
  expect(lines).toMatchObject([{ count: 500, rows: Array.from({ length: 20 }, () => ({ id: uuid })) }])
})
