import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createForkedLogger, createLogger } from '#kit/logger.ts'
import { lastLines, LogFile } from '../../../electron/main/log-file.ts'
import { ProcessOutput } from '../../../electron/main/process-output.ts'

let dataDir: string
let file: LogFile
let ticks: number
let stdout: PassThrough
let stderr: PassThrough

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  dataDir = mkdtempSync(join(tmpdir(), 'scandesk-output-'))
  file = new LogFile()
  file.open(dataDir)
  ticks = 0
  const log = createForkedLogger('desk', file, 'info', { write: () => undefined })
  const output = new ProcessOutput(log.named('middleware'), () => ticks)
  stdout = new PassThrough()
  stderr = new PassThrough()
  output.follow(stdout, 'stdout')
  output.follow(stderr, 'stderr')
})
afterEach(() => {
  vi.useRealTimers()
  file.close()
  rmSync(dataDir, { recursive: true, force: true })
})

const written = (): string => readFileSync(join(dataDir, 'logs', 'desk.log'), 'utf8')
const lines = (): Record<string, unknown>[] =>
  written()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
/** Lets the streams emit their data. */
const arrived = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('the output of a child process', () => {
  it('is logged under the child’s name: text with the level of its stream, JSON with its own level and fields', async () => {
    stdout.write('it listens\n')
    stderr.write('Error: no room\n    at open (fs.js:1)\n\n')
    createLogger('other', { level: 'info', destination: stderr }).error(
      { err: new Error('it broke'), port: 4000 },
      'a fault',
    )
    await arrived()
    expect(lines()).toMatchObject([
      { level: 30, name: 'middleware', from: 'stdout', msg: 'it listens' },
      { level: 40, name: 'middleware', from: 'stderr', msg: 'Error: no room' },
      { level: 40, name: 'middleware', from: 'stderr', msg: 'at open (fs.js:1)' },
      { level: 50, name: 'middleware', port: 4000, err: { message: 'it broke' }, msg: 'a fault' },
    ])
    expect(written()).not.toContain('"hostname"')
    expect(lastLines(dataDir)[0]?.text).toBe('middleware: a fault: it broke · port 4000')
  })

  it('is logged in whole lines even if it arrives byte by byte; an unfinished last line is logged when the stream ends', async () => {
    const bytes = Buffer.from('één regel\nand the rest')
    for (const byte of bytes) stderr.write(Buffer.from([byte]))
    stderr.end()
    await vi.waitFor(() => {
      expect(lines().map(({ msg }) => msg)).toEqual(['één regel', 'and the rest'])
    })
  })

  it('is logged without secrets, both under a key such as “password” and inside a text', async () => {
    const canary = 'c4n4ry'
    stderr.write(`${JSON.stringify({ level: 50, password: canary, call: { token: canary }, msg: 'one' })}\n`)
    stderr.write(`Bearer ${canary}\nhttp://127.0.0.1/label?signature=${canary}\n`)
    await arrived()
    expect(lines()).toHaveLength(3)
    expect(written()).toContain('[secret]')
    expect(written()).not.toContain(canary)
  })

  it('is logged with at most 4,000 characters of a line', async () => {
    for (let n = 0; n < 100; n++) stderr.write('x'.repeat(10_000))
    stderr.write(`\nnext\n${'{"a":'.repeat(5_000)}\n`)
    await arrived()
    const texts = lines().map(({ msg }) => String(msg))
    expect(texts.map((text) => text.length)).toEqual([4_000, 4, 4_000])
  })

  it('is logged with at most 50 lines in ten seconds, and then with the number of the lines left out', async () => {
    for (let n = 0; n < 1_000; n++) stderr.write(`line ${String(n)}\n`)
    await arrived()
    expect(lines()).toHaveLength(50)
    ticks = 10_000
    vi.advanceTimersByTime(10_000)
    expect(lines().at(-1)).toMatchObject({ level: 40, name: 'middleware', leftOut: 950 })
    stderr.write('later\n')
    await arrived()
    expect(lines().map(({ msg }) => msg)).toHaveLength(52)
    expect(lines().at(-1)).toMatchObject({ msg: 'later' })
  })
})

describe('the level of the log', () => {
  it('applies to the lines of a child process too', async () => {
    const kept: string[] = []
    const log = createForkedLogger('desk', { write: (line) => void kept.push(line) }, 'error', {
      write: () => undefined,
    })
    const stream = new PassThrough()
    new ProcessOutput(log.named('middleware'), () => ticks).follow(stream, 'stderr')
    stream.write('one\n')
    await arrived()
    log.keepFrom('warn')
    stream.write('two\n')
    await arrived()
    expect(kept.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['two'])
  })
})
