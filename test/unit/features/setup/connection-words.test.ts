import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stepWords, verdictOf } from '#features/setup/connection-words.ts'
import {
  type ConnectionProblem,
  connectionProblems,
  connectionSteps,
  type ConnectionTest,
} from '#shared/bridge/views.ts'
import { memoryWorld } from '#support/memory-desk/memory-desk.ts'

const good = memoryWorld(() => 0).test
const params = {
  host: 'wms.example.com',
  port: 8443,
  proxy: 'proxy.example:3128',
  path: '/foo/wms/auth/login/',
  origin: 'https://wms.example.com:8443',
  target: 'https://login.example/',
  status: 502,
  wms: 'LIFE',
  customer: 'NOPE',
  cause: 'ECONNREFUSED',
}
const withProblem = (code: ConnectionProblem): ConnectionTest => ({
  ...good,
  problem: { code, params },
  environment: null,
})

describe('the texts of a connection test', () => {
  it('name the steps of the test in their order', () => {
    expect(stepWords(good).map(({ step }) => step)).toEqual([...connectionSteps])
    expect(stepWords(good).at(-1)).toMatchObject({ state: 'at_login', outcome: 'none' })
  })

  it('say that the first login checks the WMS code, unless the connection test has checked it', () => {
    expect(verdictOf(good)).toMatchObject({ outcome: 'done', parts: [] })
    expect(verdictOf(good).next).not.toContain('WMS')
    const open = verdictOf({ ...good, steps: { ...good.steps, wms: 'at_login' } })
    expect(open.next).toContain('WMS')
    expect(open.found).not.toContain('WMS')
  })

  it.each(connectionProblems)('name the problem %s and what to check next', (code) => {
    const { outcome, found, next, parts } = verdictOf(withProblem(code))
    expect(outcome).toBe('stop')
    expect(found.length).toBeGreaterThan(10)
    expect(next.length).toBeGreaterThan(10)
    expect(`${found} ${next}`).not.toMatch(/undefined|[{}]/)
    expect(parts[0]).toBe(`connection.${code}`)
  })

  it('differ as a whole between any two kinds of problem', () => {
    const found = connectionProblems.map((code) => verdictOf(withProblem(code)).found)
    const nextToo = connectionProblems.map((code) => Object.values(verdictOf(withProblem(code))).join('|'))
    expect(new Set(nextToo).size).toBe(connectionProblems.length)
    // two problems have the same sentence about the fault: no service at an address with a path, and no service at an
    // address without a path
    expect(new Set(found).size).toBe(connectionProblems.length - 1)
  })

  it.each(['en', 'nl'])('contain no words about scans, labels or shifts in the language %s', (language) => {
    const file = join(import.meta.dirname, `../../../../resources/i18n/messages/${language}.json`)
    const all = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>)
    const texts = all.filter(([key]) => key.startsWith('connection_'))
    expect(texts.length).toBeGreaterThan(connectionProblems.length)
    const shift = /\b(scan\w*|label\w*|kept|opgeslagen|bewaard|shift|dienst)\b/i
    expect(texts.filter(([, text]) => shift.test(String(text)))).toEqual([])
  })
})
