import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * How the fake PowerShell behaves when it is started for one purpose: to query printers (`ask`) or to print (`print`).
 */
export type FakeWindowsMode =
  | { readonly kind: 'exit'; readonly code: number; readonly text?: string }
  /** The fake PowerShell writes the text and never ends. */
  | { readonly kind: 'hangs'; readonly text?: string }
  /**
   * The fake PowerShell writes `text` when it is started for the first time for its purpose (`ask` or `print`), and
   * `thenText` when it is started again for this purpose.
   */
  | { readonly kind: 'says'; readonly text: string; readonly thenText?: string }

export type FakeWindowsPurpose = 'ask' | 'print'

export interface FakeWindowsRun {
  readonly pid: number
  readonly args: readonly string[]
  /** The text that the program received on its standard input. */
  readonly input: string
  readonly queue: string
}

/** A program in place of PowerShell: a real process whose behaviour the test sets, and which records its input. */
export interface FakeWindows {
  readonly powershell: string
  become(purpose: FakeWindowsPurpose, mode: FakeWindowsMode): void
  runs(purpose: FakeWindowsPurpose): FakeWindowsRun[]
  close(): void
}

/** Whether this system can start the program. The program is a script, and Windows cannot start a script directly. */
export const canFakeWindows: boolean = process.platform !== 'win32'

export function createFakeWindows(): FakeWindows {
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-windows-'))
  const powershell = join(folder, 'powershell')
  writeFileSync(powershell, script(powershell))
  chmodSync(powershell, 0o755)
  const windows: FakeWindows = {
    powershell,
    become: (purpose, mode) => writeFileSync(`${powershell}.${purpose}.mode`, JSON.stringify(mode)),
    runs: (purpose) =>
      readFileSync(`${powershell}.${purpose}.runs`, 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as FakeWindowsRun])),
    close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
  for (const purpose of ['ask', 'print']) appendFileSync(`${powershell}.${purpose}.runs`, '')
  windows.become('ask', { kind: 'says', text: queueAnswer() })
  windows.become('print', { kind: 'says', text: 'printing\r\nprinted\r\n' })
  return windows
}

interface SaidQueue {
  readonly name?: string
  readonly status?: string
}

/** Returns the output of PowerShell for the given queues and jobs. */
export function queueAnswer(
  queues: readonly SaidQueue[] = [{}],
  jobs: readonly { document: string; status: string }[] = [],
): string {
  return JSON.stringify({
    queues: queues.map(({ name = 'Zebra returns', status = 'Normal' }) => ({
      name,
      driver: 'ZDesigner ZD421',
      status,
    })),
    jobs,
  })
}

function script(path: string): string {
  return `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs')
const args = process.argv.slice(2)
const here = ${JSON.stringify(path)} + (args.at(-1).includes('PrintDocument') ? '.print' : '.ask')
const mode = JSON.parse(readFileSync(here + '.mode', 'utf8'))
const before = readFileSync(here + '.runs', 'utf8').split('\\n').length - 1
const input = readFileSync(0, 'utf8')
const run = { pid: process.pid, args, input, queue: process.env.SCANDESK_QUEUE ?? '' }
appendFileSync(here + '.runs', JSON.stringify(run) + '\\n')
process.stdout.write((before > 0 ? mode.thenText : undefined) ?? mode.text ?? '')
if (mode.kind === 'hangs') setInterval(() => undefined, 1000)
if (mode.kind === 'exit') process.exitCode = mode.code
`
}
