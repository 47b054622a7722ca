import { EventEmitter } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLogger } from '#kit/logger.ts'
import { failure } from '#shared/errors/catalogue.ts'
import { MiddlewareSupervisor } from '../../../electron/main/middleware-supervisor.ts'

/** The parts of a process that the supervisor uses. The test supplies the output. */
class FakeProcess extends EventEmitter {
  readonly heard: unknown[] = []
  readonly stdout = new PassThrough()
  readonly stderr = new PassThrough()
  killed = false
  postMessage(message: unknown): void {
    this.heard.push(message)
  }
  kill(): boolean {
    this.killed = true
    return true
  }
}

const { processes, fork } = vi.hoisted(() => {
  const forked: FakeProcess[] = []
  return { processes: forked, fork: { now: (): unknown => null } }
})
vi.mock('electron', () => ({ utilityProcess: { fork: () => fork.now() } }))

let dataDir: string
let ports: number[]
let logged: string[]
let supervisor: MiddlewareSupervisor

const life = (number: number): FakeProcess => {
  const process = processes[number]
  if (!process) throw new Error(`there is no process ${number}`)
  return process
}
const ready = (port: number): object => ({ type: 'ready', url: `http://127.0.0.1:${port}` })

beforeEach(() => {
  vi.useFakeTimers()
  processes.length = 0
  fork.now = () => processes[processes.push(new FakeProcess()) - 1]
  dataDir = mkdtempSync(join(tmpdir(), 'scandesk-supervisor-'))
  ports = []
  logged = []
  supervisor = new MiddlewareSupervisor({
    bundle: 'middleware.js',
    dataDir,
    logger: createLogger('test', { level: 'silent' }),
    outputLogger: createLogger('middleware', { destination: { write: (line) => void logged.push(line) } }),
    port: 4000,
    onPort: (port) => ports.push(port),
  })
})
afterEach(() => {
  vi.useRealTimers()
  rmSync(dataDir, { recursive: true, force: true })
})

async function crash(number: number): Promise<void> {
  life(number).emit('exit', 1)
  await vi.advanceTimersByTimeAsync(10_000)
}

describe('MiddlewareSupervisor', () => {
  it('starts one process for two parallel calls, with the port of the last run', async () => {
    const started = Promise.all([supervisor.start(), supervisor.start()])
    life(0).emit('message', ready(4000))
    await started
    expect(processes).toHaveLength(1)
    expect(life(0).heard).toMatchObject([{ port: 4000, sandbox: true }])
    expect(supervisor.url()).toBe('http://127.0.0.1:4000')
    expect(ports).toEqual([4000])
  })

  it('starts the process again on the same port after a crash', async () => {
    const started = supervisor.start()
    life(0).emit('message', ready(4001))
    await started
    await crash(0)
    expect(supervisor.url()).toBeNull()
    expect(life(1).heard).toMatchObject([{ port: 4001 }])
  })

  it('logs the output of each process that it starts', async () => {
    const started = supervisor.start()
    life(0).emit('message', ready(4001))
    await started
    life(0).stderr.write('the first\n')
    await crash(0)
    life(1).stderr.write('the second\n')
    await vi.advanceTimersByTimeAsync(0)
    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 40, name: 'middleware', from: 'stderr', msg: 'the first' },
      { level: 40, name: 'middleware', from: 'stderr', msg: 'the second' },
    ])
  })

  it('starts the process again with a free port if the port of the last run is in use', async () => {
    const started = supervisor.start()
    life(0).emit('message', { type: 'failed', cause: 'port_in_use', reason: 'listen EADDRINUSE' })
    await vi.advanceTimersByTimeAsync(0)
    expect(life(1).heard).toMatchObject([{ port: 0 }])
    life(1).emit('message', ready(5000))
    await started
    expect(supervisor.url()).toBe('http://127.0.0.1:5000')
  })

  it('starts no second process if it is stopped before the first one reports that its port is in use', async () => {
    void supervisor.start()
    const stopped = supervisor.stop()
    life(0).emit('message', { type: 'failed', cause: 'port_in_use', reason: 'listen EADDRINUSE' })
    life(0).emit('exit', 0)
    await stopped
    await vi.advanceTimersByTimeAsync(10_000)
    expect(processes).toHaveLength(1)
  })

  it('returns no address if it is stopped before the process reports its address', async () => {
    void supervisor.start()
    const stopped = supervisor.stop()
    life(0).emit('message', ready(4000))
    life(0).emit('exit', 0)
    await stopped
    expect(supervisor.url()).toBeNull()
  })

  it('starts the process only at the next call of `start()` after six crashes', async () => {
    void supervisor.start()
    for (let number = 0; number <= 5; number++) {
      // while a restart is planned, there is no failure: the text for the operator announces the restart
      expect(supervisor.failure()).toBeNull()
      await crash(number)
    }
    expect(processes).toHaveLength(6)
    expect(supervisor.failure()).toEqual(failure('station.embedded_failed', { cause: 'crashed' }))
    const started = supervisor.start()
    expect(supervisor.failure()).toBeNull()
    life(6).emit('message', ready(4000))
    await started
    expect(supervisor.url()).toBe('http://127.0.0.1:4000')
    // the number of restarts is counted from zero again
    await crash(6)
    expect(processes).toHaveLength(8)
  })

  it('starts the process again at the next call of `start()` if the process reported that it cannot start', async () => {
    const started = supervisor.start()
    life(0).emit('message', { type: 'failed', cause: 'damaged', reason: 'file is not a database' })
    await started
    expect(supervisor.url()).toBeNull()
    expect(supervisor.failure()).toEqual(failure('station.embedded_failed', { cause: 'damaged' }))
    const again = supervisor.start()
    expect(supervisor.failure()).toBeNull()
    life(1).emit('message', ready(4000))
    await again
    expect(supervisor.url()).toBe('http://127.0.0.1:4000')
  })

  it('resolves `start()` after 30 s without a message of the process, and uses an address that the process reports after that', async () => {
    const started = supervisor.start()
    await vi.advanceTimersByTimeAsync(30_000)
    await started
    expect(supervisor.url()).toBeNull()
    life(0).emit('message', ready(4000))
    await vi.advanceTimersByTimeAsync(0)
    expect(supervisor.url()).toBe('http://127.0.0.1:4000')
  })

  it('starts no process if the folder of the sandbox cannot be created', async () => {
    writeFileSync(join(dataDir, 'sandbox'), 'in the way')
    await expect(supervisor.start()).rejects.toThrow()
    expect(processes).toEqual([])
    rmSync(join(dataDir, 'sandbox'))
    const again = supervisor.start()
    life(0).emit('message', ready(4000))
    await again
    expect(supervisor.url()).toBe('http://127.0.0.1:4000')
  })
})
