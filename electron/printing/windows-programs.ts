import { type ChildProcess, execFile } from 'node:child_process'
import { join } from 'node:path'
import { parseQueues, queuesQuestion, type WindowsQueue, type WindowsState } from './windows-state.ts'

export interface WindowsOrder {
  readonly queue: string
  /** The name of the job in the queue. */
  readonly document: string
  /** The paper to choose, in millimetres. */
  readonly paper: { readonly widthMm: number; readonly heightMm: number }
  /** Dots of the pictures per inch: with it a picture has a size. */
  readonly dpi: number
}

/** How printing ended. `not_started`: nothing can have been handed over. */
export type WindowsEnd =
  { readonly kind: 'done' } | { readonly kind: 'not_started' | 'failed'; readonly cause: string }

/** What Windows is asked to do. Never throws. */
export interface WindowsPrinting {
  /** `pictures`: a PNG of each page, made by the desk: no byte of a foreign document is in them. */
  print(pictures: readonly Uint8Array[], order: WindowsOrder): Promise<WindowsEnd>
  /** Null where it cannot be asked. */
  list(): Promise<readonly WindowsQueue[] | null>
  state(queue: string): Promise<WindowsState | null>
}

export interface WindowsPrograms {
  readonly powershell?: string
  readonly printMs?: number
  readonly askMs?: number
}

/** The first label after a start waits for PowerShell and the printer's driver to load. */
const standardPrintMs = 60_000
const standardAskMs = 20_000
const mostAnswerBytes = 4 << 20
/** What one inch has of the units in which .NET measures paper and margins. */
const unitsPerInch = 100
const mmPerInch = 25.4
/** Drivers round sizes to whole millimetres or to a tenth of an inch: 0.6 mm, in those units. */
const paperTolerance = 2.4

/**
 * Prints pictures with the .NET classes that every Windows has. It reads lines from its standard input: the job as JSON
 * in ASCII, then each page as a PNG in base64. It writes `printing` just before the first byte goes to the spooler,
 * `printed` when Windows has everything, or `refused CODE` or `failed CODE`. No value is part of the script's text and no
 * double quotes are in it, so that nothing has to be escaped. The paper is the driver's own of that size, lying on its
 * side where it has only that, or else a custom one. Pictures begin at the edge of the paper, not at its margins, and are
 * not smoothed: smoothed bars are harder to read.
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

/** Windows' own PowerShell, for both: how printers are, and printing. */
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

/** By its whole path: no other program of this name is started. */
function systemPowershell(): string {
  return join(
    process.env['SystemRoot'] ?? 'C:\\Windows',
    'System32',
    'WindowsPowerShell',
    'v1.0',
    'powershell.exe',
  )
}

/** The job as the script reads it. In ASCII, so that it does not matter in which encoding PowerShell reads its input. */
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
  /** Null: it ended well. */
  readonly error: (Error & { readonly code?: unknown; readonly killed?: boolean }) | null
  readonly stdout: string
}

/** Runs a script of ours with PowerShell; it is killed after `timeoutMs`. Never throws. */
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
    // a program that has ended reads no more; how it ended is told by its exit
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input.map((line) => `${line}\n`).join(''))
  })
}

/** What Windows calls by number and the desk by name (winerror.h). */
const knownCodes: Readonly<Record<string, string>> = {
  windows_5: 'not_allowed',
  windows_1722: 'no_spooler',
  windows_1801: 'no_queue',
}

/**
 * By the script's words: `printed` is the only good end, and only without `printing` is it known that nothing was handed
 * over. A script that was killed may have written a word that was not read any more, so nothing is known of it.
 */
function endOf({ error, stdout }: ScriptRun): WindowsEnd {
  const words = stdout.split(/\r?\n/).map((line) => line.trim())
  if (words.includes('printed')) return { kind: 'done' }
  if (error?.killed) return { kind: 'failed', cause: 'timeout' }
  const said = words.map((word) => /^(?:refused|failed) (\w[\w-]*)$/.exec(word)?.[1]).find(Boolean)
  const cause = said ? (knownCodes[said] ?? said) : exitCause(error)
  return { kind: words.includes('printing') ? 'failed' : 'not_started', cause }
}

/** The system's code where the program could not be started, else its exit code. */
function exitCause(error: ScriptRun['error']): string {
  if (typeof error?.code === 'string') return error.code
  return typeof error?.code === 'number' ? `exit_${String(error.code)}` : 'ended'
}
