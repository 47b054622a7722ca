import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  commandOf,
  launch,
  probe,
  processesOf,
  readLog,
  removeAll,
  standIn,
  type Started,
} from '#stand-in/probe/launch.ts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

let dataDir: string
let first: Started

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'stand-in-'))
  first = await launch(dataDir)
})

afterAll(() => removeAll(dataDir))

describe('the processes of the stand-in for Electron', () => {
  it('include a utility process that exchanges messages with main and reports its exit code', async () => {
    const order = await expect
      .poll(async () => (await readLog(first.page)).order.length)
      .toBe(2)
      .then(() => readLog(first.page))
    expect(order.order).toEqual(expect.arrayContaining(['stdout adds for one', { sum: 5n, type: 'utility' }]))
  })

  it('report a second start of the app to the first instance', async () => {
    const second = spawn(join(standIn, 'electron'), [probe, `--data-dir=${dataDir}`, 'RMA-1'], {
      stdio: 'ignore',
    })
    const [code] = (await once(second, 'exit')) as [number]
    expect(code).toBe(3)
    const expected = [{ last: 'RMA-1', data: { from: second.pid } }]
    await expect.poll(async () => (await readLog(first.page)).second).toEqual(expected)
  })

  it('ignore a message that main sends to a utility process that has just ended', async () => {
    const worker = join(probe, 'worker.cjs')
    const events = await first.app.evaluate(async ({ utilityProcess }, path) => {
      const child = utilityProcess.fork(path, ['late'], { stdio: 'ignore' })
      const seen: unknown[] = []
      child.on('error', (type) => seen.push(type))
      await new Promise((done) => child.once('spawn', () => done(null)))
      process.kill(Number(child.pid), 'SIGKILL')
      // the event loop does not run during this wait, so this process sends its message before it handles the exit of
      // the utility process
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500)
      child.postMessage('late')
      seen.push(await new Promise((done) => child.once('exit', done)))
      await new Promise((done) => setTimeout(done, 100))
      return seen
    }, worker)
    expect(events).toEqual([9])
  })

  it('end their utility processes when main is killed, so that the app can start again immediately', async () => {
    expect((await readLog(first.page)).safe).toEqual({
      available: true,
      sync: true,
      backend: 'gnome_libsecret',
      result: 'geheim',
      hidden: true,
    })
    const worker = await first.page.evaluate(
      () =>
        new Promise<unknown>((done) =>
          window.probe.pong((_bytes, map) => done(map instanceof Map && map.get('worker'))),
        ),
    )
    expect(commandOf(Number(worker))).toContain('worker.cjs')
    first.app.process().kill('SIGKILL')
    const again = await launch(dataDir, { STANDIN_SAFE_STORAGE: 'basic_text' })
    await expect.poll(() => commandOf(Number(worker))).toBe('')
    expect((await readLog(again.page)).safe).toMatchObject({
      available: true,
      backend: 'basic_text',
      result: 'geheim',
    })
    await again.app.close()
    await expect.poll(() => processesOf(dataDir), { timeout: 5000 }).toEqual([])
  })

  it('quit cleanly on SIGTERM', async () => {
    const { app, page } = await launch(dataDir, { STANDIN_SAFE_STORAGE: 'none' })
    expect((await readLog(page)).safe).toMatchObject({
      available: false,
      sync: false,
      error: expect.stringContaining('Encryption is not available') as unknown,
    })
    const exited = once(app.process(), 'exit')
    app.process().kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  })
})
