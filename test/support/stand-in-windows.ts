import { appendFileSync, chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** What a program does when it is started; `answers` is what PowerShell writes. */
export type StandInMode =
  | { readonly kind: 'ok' }
  | { readonly kind: 'exit'; readonly code: number; readonly stderr: string }
  /** Never ends by itself. */
  | { readonly kind: 'hangs' }
  /** Another answer from its second start on. */
  | { readonly kind: 'answers'; readonly text: string; readonly thenText?: string }

export interface StandInRun {
  readonly pid: number
  readonly args: readonly string[]
  /** The PDF as it lay there, in base64; empty where the last argument was none. */
  readonly document: string
  readonly queue: string
}

/** Programs in the place of SumatraPDF's and PowerShell's: real processes that do what they are told and write it down. */
export interface StandInWindows {
  readonly sumatra: string
  readonly powershell: string
  /** Where documents lie while they are handed over. */
  readonly folder: string
  become(program: 'sumatra' | 'powershell', mode: StandInMode): void
  runs(program: 'sumatra' | 'powershell'): StandInRun[]
  close(): void
}

/** Its programs are scripts, which Windows itself cannot start. */
export const canStandInForWindows: boolean = process.platform !== 'win32'

export function createStandInWindows(): StandInWindows {
  const folder = mkdtempSync(join(tmpdir(), 'scandesk-windows-'))
  const paths = { sumatra: join(folder, 'sumatra'), powershell: join(folder, 'powershell') }
  for (const path of Object.values(paths)) {
    writeFileSync(path, script(path))
    chmodSync(path, 0o755)
    appendFileSync(`${path}.runs`, '')
  }
  const documents = mkdtempSync(join(folder, 'documents-'))
  const windows: StandInWindows = {
    ...paths,
    folder: documents,
    become: (program, mode) => writeFileSync(`${paths[program]}.mode`, JSON.stringify(mode)),
    runs: (program) =>
      readFileSync(`${paths[program]}.runs`, 'utf8')
        .split('\n')
        .flatMap((line) => (line === '' ? [] : [JSON.parse(line) as StandInRun])),
    close: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }),
  }
  windows.become('sumatra', { kind: 'ok' })
  windows.become('powershell', { kind: 'answers', text: queueAnswer() })
  return windows
}

interface SaidQueue {
  readonly name?: string
  readonly status?: string
  readonly papers?: readonly string[] | string | null
}

/** What PowerShell writes of these queues and jobs. */
export function queueAnswer(
  queues: readonly SaidQueue[] = [{}],
  jobs: readonly { document: string; status: string }[] = [],
): string {
  return JSON.stringify({
    queues: queues.map(({ name = 'Zebra returns', status = 'Normal', papers = ['A4', '4 x 6 in'] }) => ({
      name,
      driver: 'ZDesigner ZD421',
      status,
      papers,
    })),
    jobs,
  })
}

function script(path: string): string {
  return `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs')
const here = ${JSON.stringify(path)}
const args = process.argv.slice(2)
const last = args.at(-1) ?? ''
const document = last.endsWith('.pdf') ? readFileSync(last).toString('base64') : ''
const run = { pid: process.pid, args, document, queue: process.env.SCANDESK_QUEUE ?? '' }
const before = readFileSync(here + '.runs', 'utf8').split('\\n').length - 1
appendFileSync(here + '.runs', JSON.stringify(run) + '\\n')
const mode = JSON.parse(readFileSync(here + '.mode', 'utf8'))
if (mode.kind === 'hangs') setInterval(() => undefined, 1000)
if (mode.kind === 'answers') process.stdout.write(before > 0 ? (mode.thenText ?? mode.text) : mode.text)
if (mode.kind === 'exit') {
  process.stderr.write(mode.stderr)
  process.exitCode = mode.code
}
`
}
