import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createForkedLogger } from '#kit/logger.ts'
import { lastLines, LogFile } from '../../../electron/main/log-file.ts'

let dataDir: string
let logs: string
let ticks: number
let file: LogFile

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'scandesk-log-'))
  logs = join(dataDir, 'logs')
  ticks = 0
  file = new LogFile({ largestFile: 1_000, retryMs: 10_000 }, () => ticks)
})
afterEach(() => {
  file.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const line = (n: number, more = ''): string =>
  `${JSON.stringify({ level: 30, time: n, name: 'desk', pid: 1, msg: `line ${String(n)}${more}` })}\n`
const texts = (): string[] => lastLines(dataDir).map(({ text }) => text)
const content = (name = 'desk.log'): string => readFileSync(join(logs, name), 'utf8')

describe('LogFile', () => {
  it('writes each line immediately, into a file that only this account can read', () => {
    file.open(dataDir)
    file.write(line(1))
    expect(content()).toBe(line(1))
    if (process.platform === 'win32') return
    expect((statSync(logs).mode & 0o777).toString(8)).toBe('700')
    expect((statSync(join(logs, 'desk.log')).mode & 0o777).toString(8)).toBe('600')
  })

  it('creates no file before `open()`, and then writes the first 200 lines logged before `open()` and the number of lost lines', () => {
    for (let n = 1; n <= 203; n++) file.write(line(n))
    expect(existsSync(logs)).toBe(false)
    file = withRoom()
    for (let n = 1; n <= 203; n++) file.write(line(n))
    file.open(dataDir)
    file.write(line(204))
    const written = content().trim().split('\n')
    expect(written).toHaveLength(202)
    expect(written[0]).toContain('3 lines could not be written')
    expect(written.at(-1)).toContain('line 204')
  })

  it('begins a new file at the maximum size, and keeps five older files', () => {
    file.open(dataDir)
    for (let n = 1; n <= 200; n++) file.write(line(n))
    const names = readdirSync(logs).toSorted()
    expect(names).toEqual(['desk.log', 'desk.log.1', 'desk.log.2', 'desk.log.3', 'desk.log.4', 'desk.log.5'])
    for (const name of names) expect(statSync(join(logs, name)).size).toBeLessThanOrEqual(1_000)
    const kept = names.toReversed().flatMap((name) => content(name).trim().split('\n'))
    expect(kept.length).toBeGreaterThan(40)
    // the change from one file to the next loses no line
    expect(kept.map((one) => Number(/line (\d+)/.exec(one)?.[1]))).toEqual(
      Array.from({ length: kept.length }, (_, at) => 201 - kept.length + at),
    )
  })

  it('continues the file of the last run', () => {
    file.open(dataDir)
    file.write(line(1))
    file.close()
    file = withRoom()
    file.open(dataDir)
    file.write(line(2))
    expect(content()).toBe(line(1) + line(2))
  })

  it('replaces a line of a megabyte with a short line that reports the cut', () => {
    file = withRoom()
    file.open(dataDir)
    for (const character of ['x', '"', 'é', '\u0000']) file.write(line(1, character.repeat(1_000_000)))
    const written = content().trim().split('\n')
    expect(written).toHaveLength(4)
    for (const one of written) {
      expect(Buffer.byteLength(one)).toBeLessThanOrEqual(16_000)
      expect(JSON.parse(one)).toMatchObject({ level: 30, msg: /^a line of \d+ bytes was cut$/ })
    }
  })

  it('creates its file again after it was removed', () => {
    if (process.platform === 'win32') return
    file.open(dataDir)
    file.write(line(1))
    rmSync(logs, { recursive: true })
    file.write(line(2))
    expect(content()).toBe(line(2))
  })
})

describe('LogFile on a disk that refuses writes', () => {
  it('drops lines without an error, tries again after ten seconds, and then logs the number of dropped lines', () => {
    // a file with the name of the log’s folder makes every write fail
    writeFileSync(logs, '')
    file.open(dataDir)
    for (let n = 1; n <= 5; n++) file.write(line(n))
    expect(file.fault).toBe('EEXIST')
    rmSync(logs)
    ticks = 9_999
    file.write(line(6))
    expect(existsSync(logs)).toBe(false)
    ticks = 10_000
    file.write(line(7))
    expect(file.fault).toBeNull()
    expect(texts()).toEqual(['line 7', '6 lines could not be written'])
  })

  it('reports an error that occurs when it begins a new file, and does not throw the error', () => {
    if (process.platform === 'win32' || process.getuid?.() === 0) return
    file.open(dataDir)
    file.write(line(1))
    chmodSync(logs, 0o500)
    for (let n = 2; n <= 50; n++) file.write(line(n))
    expect(file.fault).toBe('EACCES')
    chmodSync(logs, 0o700)
  })
})

describe('lastLines()', () => {
  it('returns the newest lines first, from two files if necessary', () => {
    file.open(dataDir)
    expect(texts()).toEqual([])
    for (let n = 1; n <= 40; n++) file.write(line(n))
    const lines = lastLines(dataDir)
    expect(lines[0]).toEqual({ level: 30, at: 40, text: 'line 40' })
    expect(lines.length).toBeGreaterThan(content().trim().split('\n').length)
  })

  it('adds the facts of a line and the message of its error to its text, and returns a cut line unchanged', () => {
    mkdirSync(logs)
    const error = {
      level: 50,
      time: 5,
      pid: 1,
      name: 'desk',
      msg: 'it failed',
      err: { message: 'no\nroom' },
      n: 1,
    }
    writeFileSync(join(logs, 'desk.log'), `${JSON.stringify(error)}\n{"level":30,"ti\n\n[1]\n`)
    expect(lastLines(dataDir)).toEqual([
      { level: 40, at: null, text: ' · 0 1' },
      { level: 40, at: null, text: '{"level":30,"ti' },
      { level: 50, at: 5, text: 'it failed: no room · n 1' },
    ])
  })
})

describe('the logger that writes to the log file and to stderr', () => {
  const logInto = (level = 'info'): ReturnType<typeof createForkedLogger> => {
    file = withRoom()
    file.open(dataDir)
    return createForkedLogger('desk', file, level, { write: () => undefined })
  }

  it('writes lines of the chosen level and above to the file, even after a change of the level', () => {
    const { logger, keepFrom } = logInto()
    logger.debug('one')
    keepFrom('debug')
    logger.debug('two')
    keepFrom('error')
    logger.warn('three')
    logger.error('four')
    expect(texts()).toEqual(['four', 'two'])
  })

  it('writes a line to stderr if its level is at least that of the environment, whatever the level of the file is', () => {
    const shown: string[] = []
    const kept: string[] = []
    const target = (lines: string[]): { write(one: string): void } => ({
      write: (one) => void lines.push(one),
    })
    const { logger } = createForkedLogger('desk', target(kept), 'error', target(shown))
    logger.info('one')
    logger.warn('two')
    logger.error('three')
    expect([shown.length, kept.length]).toEqual([2, 1])
  })

  it('writes no computer name and no secret, neither under a key such as “password” nor inside a text', () => {
    const { logger } = logInto()
    const canary = 'c4n4ry'
    const token = `eyJhbGciOiJIUzI1NiJ9.${canary}.${canary}`
    const keys = ['password', 'token', 'refresh_token', 'hash_secret', 'secret', 'commandSecret', 'jwtSecret']
    for (const key of keys) {
      logger.info({ [key]: canary }, 'at the top')
      logger.info({ args: { [key]: canary } }, 'one below')
      logger.info({ call: { args: { [key]: canary } } }, 'two below')
    }
    for (const text of [
      `authorization: Bearer ${canary}`,
      `Basic ${canary}`,
      token,
      `a\n${token}`,
      `https://anna:${canary}@wms.example.com/`,
      `GET https://wms.example.com/label.pdf?signature=${canary}&x=1 failed`,
    ]) {
      logger.error(text)
      logger.error({ err: new Error(text) }, 'it failed')
    }
    expect(content()).toContain('[secret]')
    expect(content()).not.toContain(canary)
    expect(content()).not.toContain('"hostname"')
  })
})

function withRoom(): LogFile {
  return new LogFile({ largestFile: 1_000_000, retryMs: 10_000 }, () => ticks)
}
