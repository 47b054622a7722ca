import { type ChildProcess, execFile } from 'node:child_process'
import { join } from 'node:path'

/** A queue of Windows' print spooler, and its reported state. */
interface WindowsQueue {
  readonly name: string
  readonly driver: string
  /** The reason why the queue would not print now; null if it would print. */
  readonly cause: string | null
}

/** A document that waits in a queue. */
interface WindowsJob {
  readonly document: string
  /** Whether a user deleted the job. */
  readonly isDeleted: boolean
}

interface WindowsState {
  /** The queue; null: the computer has no queue of this name. */
  readonly queue: WindowsQueue | null
  readonly jobs: readonly WindowsJob[]
}

interface WindowsOrder {
  readonly queue: string
  /** The name of the job in the queue. */
  readonly document: string
  /** The paper to choose, in millimetres. */
  readonly paper: { readonly widthMm: number; readonly heightMm: number }
  /** Dots per inch of the pictures, which determine their size on paper. */
  readonly dpi: number
}

/** How printing ended. `not_started`: nothing can have reached the spooler. */
export type WindowsEnd =
  { readonly kind: 'done' } | { readonly kind: 'not_started' | 'failed'; readonly cause: string }

/** The calls to Windows. The methods never throw. */
export interface WindowsPrinting {
  /** Prints `pictures`, a PNG for each page. The desk creates them, so they contain no bytes of a foreign document. */
  print(pictures: readonly Uint8Array[], order: WindowsOrder): Promise<WindowsEnd>
  /** Returns all queues; null if the query fails. */
  list(): Promise<readonly WindowsQueue[] | null>
  state(queue: string): Promise<WindowsState | null>
}

export interface WindowsPrograms {
  readonly powershell?: string
  readonly printMs?: number
  readonly askMs?: number
}

/**
 * Timeout for a print in milliseconds. The first print after a start also loads PowerShell and the printer's driver.
 */
const standardPrintMs = 60_000
const standardAskMs = 20_000
const mostAnswerBytes = 4 << 20
/** Units per inch in which .NET measures paper and margins. */
const unitsPerInch = 100
const mmPerInch = 25.4
/**
 * Tolerance for the width and the height of paper, in 1/100 inch (2.4 of these units are 0.6 mm), because drivers round
 * sizes to whole millimetres or to tenths of an inch.
 */
const paperTolerance = 2.4

/**
 * Prints pictures with .NET classes that every Windows has. The script reads lines from its standard input: the job as
 * JSON in ASCII, then each page as a PNG in base64. It writes `printing` just before the first byte is passed to the
 * spooler, `printed` when Windows has everything, or `refused CODE` or `failed CODE`. Nothing has to be escaped,
 * because values are not part of the script and the script has no double quotes. Of the papers that the driver offers,
 * the script uses one of the requested size. If there is none, the script uses one of that size in landscape, or
 * otherwise a custom paper. Pictures begin at the edge of the paper, not at its margins. They are not smoothed, because
 * smoothed bars are harder to read.
 */
export const printScript = `
$ErrorActionPreference = 'Stop'
$word = 'refused'
function Say($text) { [Console]::Out.WriteLine($text) }
try {
  $lines = @($input | Where-Object { $_ })
  $job = ConvertFrom-Json -InputObject ([string]$lines[0])
  Add-Type -AssemblyName System.Drawing
  $pages = @($lines | Select-Object -Skip 1 | ForEach-Object {
    $stream = [System.IO.MemoryStream]::new([Convert]::FromBase64String([string]$_), $false)
    [System.Drawing.Image]::FromStream($stream)
  })
  if ($pages.Count -ne $job.pages) { Say 'refused incomplete'; exit 1 }
  $document = [System.Drawing.Printing.PrintDocument]::new()
  $document.PrintController = [System.Drawing.Printing.StandardPrintController]::new()
  $document.DocumentName = $job.document
  $document.OriginAtMargins = $false
  $document.PrinterSettings.PrinterName = $job.queue
  if (-not $document.PrinterSettings.IsValid) { Say 'refused no_queue'; exit 1 }
  $document.PrinterSettings.Copies = 1
  $sizes = @($document.PrinterSettings.PaperSizes | ForEach-Object { $_ })
  function Find-Paper($width, $height) {
    $sizes | Where-Object {
      [Math]::Abs($_.Width - $width) -le ${String(paperTolerance)} -and [Math]::Abs($_.Height - $height) -le ${String(paperTolerance)}
    } | Sort-Object { [Math]::Abs($_.Width - $width) + [Math]::Abs($_.Height - $height) } | Select-Object -First 1
  }
  $paper = Find-Paper $job.width $job.height
  $isSideways = $false
  if (-not $paper) {
    $paper = Find-Paper $job.height $job.width
    $isSideways = [bool]$paper
  }
  if (-not $paper) {
    $paper = [System.Drawing.Printing.PaperSize]::new('Scandesk', [int]$job.width, [int]$job.height)
  }
  $document.DefaultPageSettings.PaperSize = $paper
  $document.DefaultPageSettings.Landscape = $isSideways
  $course = @{ next = 0; failure = $null }
  $document.add_PrintPage({
    param($from, $page)
    try {
      $picture = $pages[$course.next]
      $page.Graphics.PageUnit = [System.Drawing.GraphicsUnit]::Millimeter
      $page.Graphics.InterpolationMode = [System.Drawing.Drawing2D.InterpolationMode]::NearestNeighbor
      $page.Graphics.PixelOffsetMode = [System.Drawing.Drawing2D.PixelOffsetMode]::Half
      $place = [System.Drawing.RectangleF]::new(
        -$page.PageSettings.HardMarginX * ${String(mmPerInch)} / ${String(unitsPerInch)},
        -$page.PageSettings.HardMarginY * ${String(mmPerInch)} / ${String(unitsPerInch)},
        $picture.Width * ${String(mmPerInch)} / $job.dpi,
        $picture.Height * ${String(mmPerInch)} / $job.dpi
      )
      $page.Graphics.DrawImage($picture, $place)
      $course.next++
      $page.HasMorePages = $course.next -lt $pages.Count
    } catch {
      $course.failure = $_
      $page.Cancel = $true
    }
  })
  $word = 'failed'
  Say 'printing'
  $document.Print()
  if ($course.failure) { throw $course.failure }
  if ($course.next -ne $pages.Count) { Say 'failed incomplete'; exit 1 }
  Say 'printed'
} catch {
  $fault = $_.Exception
  while ($fault.InnerException) { $fault = $fault.InnerException }
  $code = if ($fault -is [System.ComponentModel.Win32Exception]) { $fault.NativeErrorCode } else { $fault.HResult }
  Say ($word + ' windows_' + $code)
  exit 1
}
`

/** Creates the calls to Windows. They use Windows' own PowerShell for queries and for printing. */
export function windowsPrinting({
  powershell = systemPowershell(),
  printMs = standardPrintMs,
  askMs = standardAskMs,
}: WindowsPrograms = {}): WindowsPrinting {
  const ask = async (queue: string): Promise<ReturnType<typeof parseQueues>> => {
    const { error, stdout } = await runScript(powershell, queuesQuestion, {
      timeoutMs: askMs,
      env: { SCANDESK_QUEUE: queue },
    })
    return error ? null : parseQueues(stdout)
  }
  return {
    async print(pictures, order) {
      const input = [header(pictures.length, order), ...pictures.map(base64)]
      const run = await runScript(powershell, printScript, { timeoutMs: printMs, input })
      return endOf(run)
    },
    async list() {
      return (await ask(''))?.queues ?? null
    },
    async state(name) {
      const answer = await ask(name)
      return (
        answer && { queue: answer.queues.find((queue) => queue.name === name) ?? null, jobs: answer.jobs }
      )
    },
  }
}

/** Returns the full path of PowerShell, so that no other program of this name is started. */
function systemPowershell(): string {
  return join(
    process.env['SystemRoot'] ?? 'C:\\Windows',
    'System32',
    'WindowsPowerShell',
    'v1.0',
    'powershell.exe',
  )
}

/**
 * Returns the job as the first line of the script's input. The line is ASCII, because the encoding in which PowerShell
 * reads its input is not known.
 */
function header(pages: number, { queue, document, paper, dpi }: WindowsOrder): string {
  const units = (mm: number): number => Math.round((mm / mmPerInch) * unitsPerInch)
  const job = { queue, document, dpi, pages, width: units(paper.widthMm), height: units(paper.heightMm) }
  return JSON.stringify(job).replaceAll(
    /[^ -~]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64')
}

interface ScriptRun {
  /** The error of PowerShell; null: it ended without an error. */
  readonly error: (Error & { readonly code?: unknown; readonly killed?: boolean }) | null
  readonly stdout: string
}

/** Runs a script of the desk with PowerShell and kills it after `timeoutMs`. Never throws. */
function runScript(
  powershell: string,
  script: string,
  {
    timeoutMs,
    env = {},
    input = [],
  }: { timeoutMs: number; env?: NodeJS.ProcessEnv; input?: readonly string[] },
): Promise<ScriptRun> {
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-InputFormat', 'Text', '-Command', script]
  const options = {
    timeout: timeoutMs,
    killSignal: 'SIGKILL' as const,
    windowsHide: true,
    maxBuffer: mostAnswerBytes,
    env: { ...process.env, ...env },
  }
  return new Promise((resolve) => {
    let child: ChildProcess
    try {
      child = execFile(powershell, args, options, (error, stdout) => resolve({ error, stdout }))
    } catch (error) {
      resolve({ error: error instanceof Error ? error : new Error(String(error)), stdout: '' })
      return
    }
    // ignores the error of a program that ended before it read its input; the callback of `execFile` reports this end
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input.map((line) => `${line}\n`).join(''))
  })
}

/** The desk's codes for causes of failed prints, by the error number of Windows (winerror.h). */
const knownCodes: Readonly<Record<string, string>> = {
  windows_5: 'not_allowed',
  windows_1722: 'no_spooler',
  windows_1801: 'no_queue',
}

/**
 * Derives the result from the lines of the script's output. `printed` means that the print succeeded. Without the line
 * `printing`, nothing has reached the spooler. If the script was killed, its output may be incomplete, so the outcome
 * is unknown.
 */
function endOf({ error, stdout }: ScriptRun): WindowsEnd {
  const words = stdout.split(/\r?\n/).map((line) => line.trim())
  if (words.includes('printed')) return { kind: 'done' }
  if (error?.killed) return { kind: 'failed', cause: 'timeout' }
  const said = words.map((word) => /^(?:refused|failed) (\w[\w-]*)$/.exec(word)?.[1]).find(Boolean)
  const cause = said ? (knownCodes[said] ?? said) : exitCause(error)
  return { kind: words.includes('printing') ? 'failed' : 'not_started', cause }
}

/** Returns the error code of the system if the program could not be started, otherwise the exit code of the program. */
function exitCause(error: ScriptRun['error']): string {
  if (typeof error?.code === 'string') return error.code
  return typeof error?.code === 'number' ? `exit_${String(error.code)}` : 'ended'
}

/**
 * Script that writes the queues {name, driver, status} as JSON: all queues, or the queue of a given name with its jobs.
 * Nothing has to be escaped, because the name is passed in the environment and the script has no double quotes. The
 * name is not used as a pattern.
 */
export const queuesQuestion = `
$ErrorActionPreference = 'Stop'
[Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)
$only = $env:SCANDESK_QUEUE
$queues = @(Get-Printer | Where-Object { -not $only -or $_.Name -eq $only })
$jobs = @()
if ($only -and $queues.Count -eq 1) {
  $jobs = @(Get-PrintJob -PrinterObject $queues[0] |
    ForEach-Object { @{ document = $_.DocumentName; status = [string]$_.JobStatus } })
}
ConvertTo-Json -Compress -Depth 5 -InputObject @{
  queues = @($queues | ForEach-Object {
    @{ name = $_.Name; driver = $_.DriverName; status = [string]$_.PrinterStatus }
  })
  jobs = $jobs
}
`

/**
 * Faults of a queue, the most severe first, because the operator must solve the most severe fault first. Bits:
 * PRINTER_STATUS_ of MS-RPRN, 2.2.3.12.
 */
const faults: readonly (readonly [cause: string, bit: number, name: string])[] = [
  ['cover_open', 0x40_0000, 'DoorOpen'],
  ['jammed', 0x8, 'PaperJam'],
  ['paper_out', 0x10, 'PaperOut'],
  ['ribbon_out', 0x4_0000, 'NoToner'],
  ['offline', 0x80, 'Offline'],
  ['offline', 0x1000, 'NotAvailable'],
  ['offline', 0x80_0000, 'ServerUnknown'],
  ['offline', 0x200_0000, 'ServerOffline'],
  ['no_queue', 0x4, 'PendingDeletion'],
  ['paused', 0x1, 'Paused'],
  ['error', 0x2, 'Error'],
  ['error', 0x20, 'ManualFeed'],
  ['error', 0x40, 'PaperProblem'],
  ['error', 0x800, 'OutputBinFull'],
  ['error', 0x8_0000, 'PagePunt'],
  ['error', 0x10_0000, 'UserIntervention'],
  ['error', 0x20_0000, 'OutOfMemory'],
]

/**
 * Returns the most severe cause in a status; null if nothing prevents printing. A status is a text such as `PaperOut,
 * Offline`, or a number with a bit for each of these names.
 */
export function causeInStatus(status: string): string | null {
  const bits = /^\d+$/.test(status.trim()) ? Number(status) : 0
  const names = new Set(status.split(',').map((name) => name.trim().toLowerCase()))
  return faults.find(([, bit, name]) => (bits & bit) !== 0 || names.has(name.toLowerCase()))?.[0] ?? null
}

/** The bits JOB_STATUS_DELETING and JOB_STATUS_DELETED (winspool.h). */
const deletedBits = 0x4 | 0x100

function isDeletedStatus(status: string): boolean {
  return /^\d+$/.test(status.trim())
    ? (Number(status) & deletedBits) !== 0
    : /\bDelet(?:ing|ed)\b/i.test(status)
}

/**
 * Parses the output of the script. Null if the output has an unexpected form, because a misread state could lead to a
 * lost label.
 */
export function parseQueues(
  text: string,
): { queues: readonly WindowsQueue[]; jobs: readonly WindowsJob[] } | null {
  const answer = jsonOf(text)
  const queues = listIn(answer, 'queues')
  const jobs = listIn(answer, 'jobs')
  if (!queues || !jobs) return null
  return {
    queues: queues.flatMap((queue) => {
      const name = textIn(queue, 'name')
      if (name === '') return []
      return [
        {
          name,
          driver: textIn(queue, 'driver'),
          cause: causeInStatus(textIn(queue, 'status')),
        },
      ]
    }),
    jobs: jobs.map((job) => ({
      document: textIn(job, 'document'),
      isDeleted: isDeletedStatus(textIn(job, 'status')),
    })),
  }
}

function jsonOf(text: string): unknown {
  try {
    // removes a byte order mark from the output of PowerShell, because JSON does not allow it
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return null
  }
}

function fieldIn(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** Returns a field as a list; null: it is missing. PowerShell writes one item as the item, and no items as null. */
function listIn(value: unknown, name: string): readonly unknown[] | null {
  const field = fieldIn(value, name)
  if (field === undefined) return null
  if (Array.isArray(field)) {
    const list: readonly unknown[] = field
    return list
  }
  return field === null ? [] : [field]
}

function textIn(value: unknown, name: string): string {
  const field = fieldIn(value, name)
  return typeof field === 'string' || typeof field === 'number' ? String(field) : ''
}
