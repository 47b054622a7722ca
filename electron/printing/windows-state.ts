/** A queue of Windows' print spooler, as far as it says how it is. */
export interface WindowsQueue {
  readonly name: string
  readonly driver: string
  /** Why it would not print now, or null. */
  readonly cause: string | null
}

/** A document that waits in a queue. */
export interface WindowsJob {
  readonly document: string
  /** Somebody took it out. */
  readonly isDeleted: boolean
}

export interface WindowsState {
  /** Null: the computer has none of this name. */
  readonly queue: WindowsQueue | null
  readonly jobs: readonly WindowsJob[]
}

/**
 * What PowerShell is asked, of all queues: an array of {name, driver, status}. Names go in by the environment and no double
 * quotes are in it, so that nothing has to be escaped; a name that is asked for is no pattern.
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

/** The worst first: what somebody must do before anything else helps. Bits: PRINTER_STATUS_ of MS-RPRN, 2.2.3.12. */
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

/** The cause in `PaperOut, Offline` or in the same as a number, or null where nothing keeps it from printing. */
export function causeInStatus(status: string): string | null {
  const bits = /^\d+$/.test(status.trim()) ? Number(status) : 0
  const names = new Set(status.split(',').map((name) => name.trim().toLowerCase()))
  return faults.find(([, bit, name]) => (bits & bit) !== 0 || names.has(name.toLowerCase()))?.[0] ?? null
}

/** JOB_STATUS_DELETING and _DELETED (winspool.h). */
const deletedBits = 0x4 | 0x100

function isDeletedStatus(status: string): boolean {
  return /^\d+$/.test(status.trim())
    ? (Number(status) & deletedBits) !== 0
    : /\bDelet(?:ing|ed)\b/i.test(status)
}

/** What PowerShell answered, or null where that is not what was asked: a queue misread is a label lost. */
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
    // a byte order mark is no part of JSON
    return JSON.parse(text.replace(/^\uFEFF/, ''))
  } catch {
    return null
  }
}

function fieldIn(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

/** A list; PowerShell makes one of one item that item, and of none nothing at all. */
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
