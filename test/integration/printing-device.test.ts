import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { PrinterPort, PrintRequest } from '#desk/ports/printers.ts'
import { drawLabel } from '#labels/draw/draw-label.ts'
import { rasterise } from '#labels/place/lay-labels.ts'
import { type ChildLink, forkChild, type StartChild } from '#kit/child-process.ts'
import { openDevice } from '#printing/raw-connection.ts'
import { createEscposPrinter } from '#printing/escpos-printer.ts'
import { createZplPrinter } from '#printing/zpl-printer.ts'
import { count, seed } from '#support/counts.ts'
import { escposBytes } from '#support/escpos-bytes.ts'
import { type FakeBehaviour, startFakeEscposPrinter } from '#support/fake-escpos-printer.ts'
import { startFakeZplPrinter } from '#support/fake-zpl-printer.ts'
import { labelSpec } from '#support/label-specs.ts'
import { printOn } from '#support/print-on.ts'
import { zplOptions } from '#support/zpl-options.ts'

/** A pseudo-terminal whose other end is this program: a device file whose behaviour the test determines. */
interface FakeDevice {
  readonly path: string
  /** Returns the bytes that were written to the device file. */
  readonly received: () => Buffer
  /** Sends bytes to the program that has the device file open. */
  answer(bytes: Uint8Array): void
  onBytes(listener: (bytes: Buffer) => void): void
  /** Stops reading, like a printer without paper. */
  stall(): void
  /** Disappears while it is open, like a device whose cable is unplugged. */
  vanish(): Promise<void>
}

/** `script` of util-linux creates the terminal. Without it these tests are skipped with a notice. */
const canFakeDevices: boolean = existsSync('/usr/bin/script') && process.platform === 'linux'

async function startFakeDevice(): Promise<FakeDevice> {
  // The shell of `script` keeps the terminal open in raw mode and prints its path.
  const shell = 'stty raw -echo; tty; exec sleep 600'
  const child = spawn('/usr/bin/script', ['-qfec', shell, '/dev/null'], { stdio: ['pipe', 'pipe', 'ignore'] })
  let bytes = Buffer.alloc(0)
  const listeners: ((bytes: Buffer) => void)[] = []
  const path = await new Promise<string>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', () => reject(new Error('script ended')))
    // Ignores errors, because the terminal may have ended before the bytes are written.
    child.stdin.on('error', () => undefined)
    let isKnown = false
    child.stdout.on('data', (piece: Buffer) => {
      bytes = Buffer.concat([bytes, piece])
      const line = isKnown ? null : /^(\/dev\/\S+)\r?\n/.exec(bytes.toString('latin1'))
      if (line) {
        isKnown = true
        bytes = bytes.subarray(line[0].length)
        resolve(line[1] ?? '')
      } else if (isKnown) for (const listener of listeners) listener(piece)
    })
  })
  return {
    path,
    received: () => bytes,
    answer: (said) => void child.stdin.write(said),
    onBytes: (listener) => void listeners.push(listener),
    stall: () => void child.kill('SIGSTOP'),
    async vanish() {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

if (!canFakeDevices) console.warn('device files are not tried: script (util-linux) is missing')

const patient = {
  connectMs: 20_000,
  statusMs: 5_000,
  stallMs: 10_000,
  labelMs: 10_000,
  jobMs: 60_000,
  settleMs: 50,
  closeMs: 5_000,
}
const hasty = { ...patient, statusMs: 200, stallMs: 500, labelMs: 300 }
const paper = { dpi: 203, widthDots: 832 }
const label = await drawLabel(labelSpec())
const job = await escposBytes(await rasterise(label, paper))
const request: Omit<PrintRequest, 'placement'> = {
  jobId: 'job',
  document: label,
  isReprint: false,
  externalReference: null,
  createdAt: 0,
}

const ends: (() => unknown)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function device(): Promise<FakeDevice> {
  const started = await startFakeDevice()
  ends.push(() => started.vanish())
  return started
}

type Kill = Pick<ChildLink<unknown, unknown>, 'kill'>

/** Records the processes that are started for a device. `alive`: the processes that still run. */
function watched(): { start: StartChild; started: Kill[]; alive: Set<Kill> } {
  const started: Kill[] = []
  const alive = new Set<Kill>()
  const start: StartChild = <Order, Word>(file: URL) => {
    const child = forkChild<Order, Word>(file)
    started.push(child)
    alive.add(child)
    child.onEnd(() => alive.delete(child))
    return child
  }
  return { start, started, alive }
}

/** Replaces the check that a path is the device of a printer: accepts every path, such as that of a terminal. */
const any = (path: string): string => path

function escposAt(path: string, timeouts = patient, startProcess = forkChild): PrinterPort {
  return createEscposPrinter({ name: 'lp', path, startProcess, find: any, paperMm: 104, dpi: 203, timeouts })
}

/** Connects a device file to a fake printer that listens on TCP. */
async function behindDevice(port: number): Promise<FakeDevice> {
  const fake = await device()
  const socket = connect({ host: '127.0.0.1', port })
  socket.on('error', () => undefined)
  socket.on('data', (bytes) => fake.answer(bytes))
  fake.onBytes((bytes) => void socket.write(bytes))
  ends.push(() => socket.destroy())
  return fake
}

describe.skipIf(!canFakeDevices)('a printer behind a device file', () => {
  it('prints the ESC/POS label dot for dot and confirms it', async () => {
    const printer = await startFakeEscposPrinter({ kind: 'ready' })
    ends.push(() => printer.close())
    const { path } = await behindDevice(printer.port)
    const { start, started, alive } = watched()
    expect(await printOn(escposAt(path, patient, start), request)).toEqual({
      kind: 'confirmed',
      evidence: 'GS r 00, DLE EOT 16 12 12 12',
      file: null,
    })
    expect(printer.jobs.map(({ labels }) => labels)).toEqual([await rasterise(label, paper)])
    expect(started).toHaveLength(1)
    await expect.poll(() => alive.size).toBe(0)
  })

  it('prints a ZPL label and confirms it', async () => {
    const printer = await startFakeZplPrinter({ kind: 'slow', answers: 2 })
    ends.push(() => printer.close())
    const { path } = await behindDevice(printer.port)
    const zpl = createZplPrinter({
      name: 'lp',
      path,
      startProcess: forkChild,
      find: any,
      widthMm: 104,
      dpi: 203,
      ...zplOptions,
      timeouts: { ...patient, pollMs: 20, othersMs: 1_000, inchMs: 1 },
    })
    expect(await printOn(zpl, request)).toMatchObject({ kind: 'confirmed' })
    expect(await zpl.status()).toEqual({ state: 'ready', failure: null })
  })

  it.each([
    ['paper_out', 'refused'],
    ['ready', 'ready'],
    ['silent', 'unknown'],
  ] as const)('reports its state: %s', async (kind, state) => {
    const printer = await startFakeEscposPrinter({ kind } satisfies FakeBehaviour)
    ends.push(() => printer.close())
    const { path } = await behindDevice(printer.port)
    const condition = await escposAt(path, kind === 'silent' ? hasty : patient).status()
    expect(condition.state).toBe(state)
    expect(printer.jobs).toEqual([])
  })

  it('receives every byte of a print even if it does not respond; the outcome of the print is `sent`', async () => {
    const { path, received } = await device()
    expect(await printOn(escposAt(path, hasty), request)).toEqual({ kind: 'sent' })
    // The label is sent after one query, to which the printer did not respond.
    await expect.poll(() => received().length).toBe(3 + job.length)
    expect(received().subarray(3)).toEqual(job)
  })

  it('that stops reading leads to the outcome `partial`, and the process that prints is killed', async () => {
    const fake = await device()
    fake.stall()
    const { start, alive } = watched()
    const failure = { code: 'printer.outcome_unknown', params: { printer: 'lp', cause: 'stalled' } }
    expect(await printOn(escposAt(fake.path, hasty, start), request)).toEqual({ kind: 'partial', failure })
    await expect.poll(() => alive.size).toBe(0)
  })

  it.each([1, 5_000, 20_000])(
    'that disappears after %i bytes does not confirm the print',
    async (afterBytes) => {
      const fake = await device()
      let gone: Promise<void> | null = null
      fake.onBytes(() => {
        if (fake.received().length >= afterBytes) gone ??= fake.vanish()
      })
      const outcome = await printOn(escposAt(fake.path, hasty), request)
      // The first byte belongs to a query, which the desk sends before the label. If the desk notices in time that the
      // printer disappeared after this byte, it sends no byte of the label (`refused`).
      expect([afterBytes === 1 ? 'refused' : 'unconfirmed', 'partial']).toContain(outcome.kind)
      if (!('failure' in outcome)) throw new Error('no failure')
      expect(['EIO', 'stalled']).toContain(outcome.failure.params['cause'])
    },
  )

  it('that disappears after it received the whole label confirms the print only if its response arrived', async () => {
    const printer = await startFakeEscposPrinter({ kind: 'ready' })
    ends.push(() => printer.close())
    const fake = await behindDevice(printer.port)
    // The last bytes are the query after the label, and its response is lost.
    const asked = Buffer.from([0x1d, 0x72, 0x01])
    fake.onBytes(() => {
      if (fake.received().subarray(-3).equals(asked)) void fake.vanish()
    })
    const outcome = await printOn(escposAt(fake.path), request)
    expect(['unconfirmed', 'confirmed']).toContain(outcome.kind)
    if (outcome.kind === 'confirmed') expect(outcome.evidence).toMatch(/^GS r 00, DLE EOT /)
  })

  it('reports the outcome `partial` if the process that prints ends during the print', async () => {
    const fake = await device()
    const { start, started } = watched()
    fake.onBytes(() => {
      if (fake.received().length > 5_000) for (const child of started) child.kill()
    })
    expect(await printOn(escposAt(fake.path, hasty, start), request)).toMatchObject({
      kind: 'partial',
      failure: { params: { cause: 'process_ended' } },
    })
  })

  it('receives and sends every byte unchanged', async () => {
    const fake = await device()
    const pieces = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9_000 }), { minLength: 1, maxLength: 3 })
    await fc.assert(
      fc.asyncProperty(pieces, async (sent) => {
        const connection = await openDevice({ path: fake.path, startProcess: forkChild, find: any }, 20_000)
        if ('cause' in connection) throw new Error(connection.cause)
        const said: Uint8Array[] = []
        connection.onBytes((bytes) => said.push(bytes))
        const before = fake.received().length
        const whole = Buffer.concat(sent)
        for (const piece of sent) {
          expect(await connection.write(piece, 10_000)).toBeNull()
          fake.answer(piece)
        }
        await expect.poll(() => fake.received().length - before).toBe(whole.length)
        expect(fake.received().subarray(before)).toEqual(whole)
        await expect.poll(() => Buffer.concat(said).length).toBe(whole.length)
        expect(Buffer.concat(said)).toEqual(whole)
        expect(await connection.finish(5_000)).toBeNull()
      }),
      { seed, numRuns: count(4, 100) },
    )
  })
})

describe.skipIf(process.platform !== 'linux')('a device file', () => {
  it('that accepts all bytes without a response leads to the outcome `sent`', async () => {
    expect(await printOn(escposAt('/dev/null', hasty), request)).toEqual({ kind: 'sent' })
    expect(await escposAt('/dev/null', hasty).status()).toEqual({ state: 'unknown', failure: null })
  })

  it('that accepts no bytes is refused before the label is sent', async () => {
    expect(await printOn(escposAt('/dev/full', hasty), request)).toMatchObject({
      kind: 'refused',
      failure: { code: 'printer.refused', params: { cause: 'ENOSPC' } },
    })
  })

  it('that is not the device of a printer is refused without the start of a process', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-device-'))
    ends.push(() => {
      rmSync(folder, { recursive: true })
    })
    writeFileSync(join(folder, 'file'), '')
    const others = ['/dev/null', '/dev/console', '/dev/fd/1', '/dev/ptmx', '/dev/none', join(folder, 'file')]
    for (const path of others) {
      const { start, started } = watched()
      const printer = createEscposPrinter({ name: 'lp', path, startProcess: start, paperMm: 104, dpi: 203 })
      expect(await printer.status(), path).toEqual({
        state: 'refused',
        failure: { code: 'printer.refused', params: { printer: 'lp', cause: 'ENOENT' } },
      })
      expect(started).toEqual([])
    }
  })

  it('that is a regular file, a pipe, a link or a folder is refused and stays unchanged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'scandesk-device-'))
    ends.push(() => {
      rmSync(folder, { recursive: true })
    })
    const at = (name: string): string => join(folder, name)
    writeFileSync(at('file'), 'mine')
    execFileSync('mkfifo', [at('pipe')])
    symlinkSync('file', at('link'))
    for (const [path, cause] of [
      [at('file'), 'not_a_device'],
      [at('pipe'), 'not_a_device'],
      [at('link'), 'not_a_device'],
      [folder, 'not_a_device'],
      [at('nothing'), 'ENOENT'],
    ] as const) {
      const { start, alive } = watched()
      expect(await printOn(escposAt(path, patient, start), request), path).toEqual({
        kind: 'refused',
        failure: { code: 'printer.refused', params: { printer: 'lp', cause } },
      })
      await expect.poll(() => alive.size).toBe(0)
    }
    expect(readFileSync(at('file'), 'utf8')).toBe('mine')
  })
})
