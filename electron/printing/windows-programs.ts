import { execFile } from 'node:child_process'
import { channel } from 'node:diagnostics_channel'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import pdfToPrinter from 'pdf-to-printer'
import { parseQueues, queuesQuestion, type WindowsQueue, type WindowsState } from './windows-state.ts'

export interface WindowsOrder {
  readonly queue: string
  /** As the driver calls it; null: SumatraPDF looks for the page's size. */
  readonly paper: string | null
}

/** How the program that prints ended. `not_started`: nothing can have been handed over. */
export type WindowsEnd =
  { readonly kind: 'done' } | { readonly kind: 'not_started' | 'failed'; readonly cause: string }

/** What Windows is asked to do. Never throws. */
export interface WindowsPrinting {
  print(file: string, order: WindowsOrder): Promise<WindowsEnd>
  /** Null where it cannot be asked. */
  list(): Promise<readonly WindowsQueue[] | null>
  state(queue: string): Promise<WindowsState | null>
}

export interface WindowsPrograms {
  readonly sumatra?: string
  readonly powershell?: string
  readonly printMs?: number
  readonly askMs?: number
}

/** The first label after a start waits for a virus scanner that has never seen the program. */
const standardPrintMs = 60_000
const standardAskMs = 20_000
const mostAnswerBytes = 4 << 20

/** SumatraPDF through pdf-to-printer, and PowerShell. */
export function windowsPrinting({
  sumatra = bundledSumatra(),
  powershell = systemPowershell(),
  printMs = standardPrintMs,
  askMs = standardAskMs,
}: WindowsPrograms = {}): WindowsPrinting {
  const ask = async (queue: string): Promise<ReturnType<typeof parseQueues>> => {
    const answer = await answerOf(powershell, queue, askMs)
    return answer === null ? null : parseQueues(answer)
  }
  return {
    print: (file, order) => printWith(sumatra, file, order, printMs),
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

/** Beside the package's code; packed, it lies outside of the archive, since Windows starts no program in one. */
export function bundledSumatra(
  packageFile: string = createRequire(import.meta.url).resolve('pdf-to-printer'),
): string {
  const folder = dirname(packageFile).replace(/([\\/]app\.asar)(?=[\\/])/, '$1.unpacked')
  return join(folder, 'SumatraPDF-3.4.6-32.exe')
}

/** By its whole path: what is called so elsewhere is not asked. */
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
 * The package neither ends a program that hangs nor says which one it started: Node does (the channel child_process), in
 * the very call. `portrait` and the like are left out, for with them SumatraPDF no longer looks for the page's size.
 */
async function printWith(
  sumatraPdfPath: string,
  file: string,
  { queue, paper }: WindowsOrder,
  timeoutMs: number,
): Promise<WindowsEnd> {
  if (!existsSync(sumatraPdfPath)) return { kind: 'not_started', cause: 'program_missing' }
  const started: { kill: (signal: NodeJS.Signals) => unknown }[] = []
  const note = (message: unknown): void => {
    const child = typeof message === 'object' && message && 'process' in message ? message.process : null
    if (isKillable(child)) started.push(child)
  }
  const spawned = channel('child_process')
  spawned.subscribe(note)
  const printing = pdfToPrinter.print(file, {
    printer: queue,
    ...(paper === null ? {} : { paperSize: paper }),
    scale: 'noscale',
    silent: true,
    sumatraPdfPath,
  })
  spawned.unsubscribe(note)
  const ended = printing.then((): WindowsEnd => ({ kind: 'done' }), failedEnd)
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<WindowsEnd>((resolve) => {
    timer = setTimeout(resolve, timeoutMs, { kind: 'failed', cause: 'timeout' })
  })
  const end = await Promise.race([ended, late])
  clearTimeout(timer)
  if (end.kind === 'failed' && end.cause === 'timeout') for (const child of started) child.kill('SIGKILL')
  return end
}

function isKillable(value: unknown): value is { kill: (signal: NodeJS.Signals) => unknown } {
  return typeof value === 'object' && value !== null && 'kill' in value && typeof value.kill === 'function'
}

/** Raised before a program runs: by the system that cannot start it, and, as mere text, by the package off Windows. */
function failedEnd(error: unknown): WindowsEnd {
  if (!(error instanceof Error)) return { kind: 'not_started', cause: 'not_windows' }
  const code = 'code' in error ? error.code : null
  if (typeof code === 'number') return { kind: 'failed', cause: `exit_${String(code)}` }
  if (typeof code === 'string' && 'syscall' in error) return { kind: 'not_started', cause: code }
  return { kind: 'failed', cause: 'ended' }
}

/** What PowerShell writes, or null where it fails, hangs or is not there. */
function answerOf(powershell: string, queue: string, timeout: number): Promise<string | null> {
  const args = ['-NoLogo', '-NoProfile', '-NonInteractive', '-Command', queuesQuestion]
  const options = {
    timeout,
    killSignal: 'SIGKILL' as const,
    windowsHide: true,
    maxBuffer: mostAnswerBytes,
    env: { ...process.env, SCANDESK_QUEUE: queue },
  }
  return new Promise((resolve) => {
    execFile(powershell, args, options, (error, stdout) => resolve(error ? null : stdout))
  })
}
