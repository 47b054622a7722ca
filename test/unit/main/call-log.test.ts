import { describe, expect, it } from 'vitest'
import { createForkedLogger, type ForkedLogger } from '#kit/logger.ts'
import { type ErrorCode, errorCodes, failure, retryPolicy } from '#shared/errors/catalogue.ts'
import { CataloguedError } from '#shared/errors/result.ts'
import { callLogInto, type KeptLine } from '#support/call-log.ts'
import { CallLog } from '../../../electron/main/ipc/call-log.ts'

describe('the log level of a failure', () => {
  it.each<[ErrorCode, string]>([
    ['network.offline', 'info'],
    ['queue.moved_on', 'info'],
    ['session.invalid_credentials', 'warn'],
    ['store.full', 'warn'],
    ['bridge.too_many_calls', 'warn'],
    ['internal.unexpected', 'error'],
  ])('with the code %s is %s', (code, level) => {
    const lines: KeptLine[] = []
    callLogInto(lines).failed('a.b', failure(code))
    expect(lines[0]?.[0]).toBe(level)
  })

  it('is `info` exactly for failures that need no operator and do not come from the bridge', () => {
    for (const code of errorCodes) {
      const lines: KeptLine[] = []
      callLogInto(lines).failed('a.b', failure(code))
      const isDaily = retryPolicy(code) !== 'operator' && !code.startsWith('bridge.')
      expect(lines[0]?.[0] === 'info', code).toBe(isDaily)
    }
  })
})

describe('the logged facts of a failure', () => {
  const factsOf = (params: Record<string, string | number>, thrown?: unknown): unknown => {
    const lines: KeptLine[] = []
    callLogInto(lines).failed('a.b', failure('api.rejected', params), thrown)
    return lines[0]?.[1]
  }
  const named = { channel: 'a.b', code: 'api.rejected' }

  it('contain only those params of the failure that are numbers or codes, and no titles or reasons', () => {
    const params = {
      ...{ status: 400, cause: 'ECONNRESET', reason: 'Anna is unknown', printer: 'Anna’s printer' },
      ...{ code: 'A-1', kind: 'not a code' },
    }
    expect(factsOf(params)).toEqual({ ...named, status: 400, cause: 'ECONNRESET' })
  })

  it('contain the system’s code of the thrown error, and not the message of the error', () => {
    const below = Object.assign(new Error('EACCES: /home/anna/desk.db'), { code: 'EACCES' })
    const thrown = new CataloguedError('api.rejected', {}, { cause: below })
    expect(factsOf({}, thrown)).toEqual({ ...named, thrown: 'Error EACCES' })
  })
})

describe('a compromised page', () => {
  /**
   * Creates a log of calls. `words` returns the messages in its file. `pass` ends the ten seconds in which repetitions
   * are counted instead of logged.
   */
  function openLog(level: string): {
    log: ForkedLogger
    calls: CallLog
    words: () => unknown[]
    pass: () => void
  } {
    const lines: string[] = []
    const file = { write: (line: string): void => void lines.push(line) }
    const log = createForkedLogger('desk', file, level, { write: () => undefined })
    let ends: (() => void)[] = []
    const calls = new CallLog(
      log,
      () => 0,
      (_, action) => void ends.push(action),
    )
    return {
      log,
      calls,
      words: () => lines.map((line) => (JSON.parse(line) as { msg: string }).msg),
      pass() {
        const due = ends
        ends = []
        for (const end of due) end()
      },
    }
  }

  it('causes only one log line when it makes a thousand successful calls of the same channel', () => {
    const lines: KeptLine[] = []
    const ends: (() => void)[] = []
    const calls = callLogInto(lines, undefined, (_, action) => void ends.push(action))
    for (let n = 0; n < 1_000; n++) calls.done('station.list', n === 500 ? 12.4 : 0.1)
    calls.done('desk.status', 3)
    expect(lines).toEqual([])
    for (const end of ends) end()
    expect(lines).toEqual([
      ['debug', { channel: 'station.list', calls: 1_000, worstMs: 12 }, 'calls have returned'],
      ['debug', { channel: 'desk.status', calls: 1, worstMs: 3 }, 'calls have returned'],
    ])
  })

  it('causes at most 6 MiB of log lines in eight hours, and the log still has the first line of a new failure', () => {
    const lines: KeptLine[] = []
    let now = 0
    let ends: (() => void)[] = []
    const calls = callLogInto(
      lines,
      () => now,
      (_, action) => void ends.push(action),
    )
    const pass = (): void => {
      const due = ends
      ends = []
      for (const end of due) end()
      now += 10_000
    }
    const bytes = (): number => lines.reduce((sum, line) => sum + JSON.stringify(line).length, 0)
    const printer = (state: string): void => calls.event('status', { printer: { state, failure: null } })
    for (let n = 0; n < 8 * 360 - 60; n++) {
      for (let channel = 0; channel < 100; channel++) {
        const name = `a.m${String(channel)}`
        for (let again = 0; again < 2; again++) calls.failed(name, failure('bridge.too_many_calls'))
        calls.done(name, 1)
      }
      printer(n % 2 ? 'ready' : 'refused')
      calls.levelChanged('info', 'debug')
      pass()
    }
    expect(bytes()).toBeLessThan(6 * 1024 ** 2)
    const before = lines.length
    calls.failed('b.other', failure('store.full'))
    calls.failed('b.other', failure('store.unavailable'))
    expect(lines.slice(before).map(([, facts]) => facts['code'])).toEqual(['store.full', 'store.unavailable'])
    now += 3600_000
    printer('refused')
    printer('ready')
    const texts = lines.slice(before + 2).map(([, , text]) => text)
    expect(texts).toEqual(['lines about calls were left out', 'a state changed', 'a state changed'])
    expect(lines[before + 2]?.[1]['lines']).toBeGreaterThan(100)
  })

  it('cannot hide its refused calls by setting the level of the log to `error`', () => {
    const { calls, words, pass } = openLog('error')
    calls.failed('scan.submit', failure('bridge.too_many_calls'))
    calls.failed('scan.submit', failure('bridge.too_many_calls'))
    calls.failed('scan.submit', failure('store.full'))
    pass()
    expect(words()).toEqual(['a call failed', 'a call failed again'])
  })

  it('causes one log line for its first change of the log level, and only one more for all its changes in the next ten seconds', () => {
    const { log, calls, words, pass } = openLog('info')
    for (const [from, to] of [
      ['info', 'error'],
      ['error', 'debug'],
      ['debug', 'error'],
    ] as const) {
      log.keepFrom(to)
      calls.levelChanged(from, to)
    }
    pass()
    calls.levelChanged('error', 'info')
    const changed = 'the level of the log was changed'
    expect(words()).toEqual([changed, `${changed} again`, changed])
  })
})

describe('the failures kept for the support bundle', () => {
  it('are the newest 50, each with the number of its occurrences', () => {
    const log = callLogInto()
    for (let n = 0; n < 60; n++) {
      log.failed(`a.m${String(n)}`, failure('network.offline'))
      log.failed(`a.m${String(n)}`, failure('network.offline'))
    }
    expect(log.last).toHaveLength(50)
    expect(log.last[0]).toEqual({
      ...{ at: '1970-01-01T00:00:00.000Z', channel: 'a.m10', code: 'network.offline', facts: {}, count: 2 },
    })
  })
})

describe('an event for the window', () => {
  it('is logged if it has a failure, or a new state of the connection or of a printer', () => {
    const lines: KeptLine[] = []
    const log = callLogInto(lines)
    const offline = { state: 'offline', failure: failure('network.offline') }
    log.event('returnLabel', { failure: failure('return_label.method_gone') })
    log.event('returnLabel', { failure: null })
    log.event('status', { line: { state: 'online', failure: null } })
    log.event('status', { line: offline })
    log.event('status', { line: offline })
    const printer = { state: 'refused', failure: failure('printer.refused', { printer: 'Anna’s printer' }) }
    log.event('status', { line: { state: 'online', failure: null }, printer })
    expect(lines.map(([level, facts]) => [level, facts])).toEqual([
      ['warn', { channel: 'event.returnLabel', code: 'return_label.method_gone' }],
      ['info', { part: 'line', state: 'online', code: null }],
      ['info', { part: 'line', state: 'offline', code: 'network.offline' }],
      ['info', { part: 'line', state: 'online', code: null }],
      ['info', { part: 'printer', state: 'refused', code: 'printer.refused' }],
    ])
  })
})
