import type { RawConnection } from './raw-sender.ts'

/** What a printer said of itself: why it does not print, or null, and its bytes as they came. */
export interface EscposReport {
  readonly cause: 'paper_out' | 'cover_open' | 'error' | 'offline' | null
  /** `DLE EOT 16 12 12 12` */
  readonly text: string
}

/** Asks a printer about itself. It answers a byte a question, or nothing at all: many clones have no status. */
export interface EscposStatus {
  /**
   * DLE EOT 1 to 4, answered at once, whatever else waits; as far as it answers, or null where it stays silent for
   * `timeoutMs`.
   */
  now(timeoutMs: number): Promise<EscposReport | null>
  /**
   * GS r 1, answered in its turn: once the bytes before it were worked off. The byte in hexadecimal, or null where
   * none comes in `timeoutMs`.
   */
  inTurn(timeoutMs: number): Promise<string | null>
}

/** Bits of the answers to DLE EOT n (ESC/POS command reference, DLE EOT). */
const isOffline = 0x08
const isCoverOpen = 0x04
const isPaperStop = 0x20
const isError = 0x40
const isPaperOut = 0x60
/** The status that a printer sends unasked begins with a byte of this shape; three more follow. */
const unaskedFollowers = 3
/** Bytes that are kept until the next question: an answer is one, and a device may send without end. */
const mostKept = 16

export function escposStatus(connection: RawConnection): EscposStatus {
  const atOnce: number[] = []
  const ordered: number[] = []
  let wake: (() => void) | null = null
  let toSkip = 0
  const keep = (answers: number[], byte: number): void => {
    if (answers.length < mostKept) answers.push(byte)
  }
  connection.onBytes((bytes) => {
    for (const byte of bytes) {
      if (toSkip > 0) toSkip--
      else if ((byte & 0x93) === 0x12) keep(atOnce, byte)
      else if ((byte & 0x93) === 0x10) toSkip = unaskedFollowers
      else if ((byte & 0x90) === 0) keep(ordered, byte)
    }
    wake?.()
  })

  async function ask(
    question: readonly number[],
    answers: number[],
    timeoutMs: number,
  ): Promise<number | null> {
    // whatever came unasked: a label's raster may hold the bytes of a question by chance
    answers.length = 0
    if ((await connection.write(Uint8Array.from(question), timeoutMs)) !== null) return null
    await connection.until((done) => {
      wake = () => {
        if (answers.length > 0) done()
      }
      wake()
    }, timeoutMs)
    wake = null
    return answers[0] ?? null
  }

  return {
    async now(timeoutMs) {
      const bytes: number[] = []
      for (const subject of [1, 2, 3, 4]) {
        const answer = await ask([0x10, 0x04, subject], atOnce, timeoutMs)
        if (answer === null) break
        bytes.push(answer)
      }
      if (bytes.length === 0) return null
      return { cause: causeIn(bytes), text: `DLE EOT ${bytes.map(hex).join(' ')}` }
    },
    async inTurn(timeoutMs) {
      const answer = await ask([0x1d, 0x72, 0x01], ordered, timeoutMs)
      return answer === null ? null : hex(answer)
    },
  }
}

function causeIn([printer = 0, offline = 0, , paper = 0]: readonly number[]): EscposReport['cause'] {
  if ((paper & isPaperOut) !== 0 || (offline & isPaperStop) !== 0) return 'paper_out'
  if ((offline & isCoverOpen) !== 0) return 'cover_open'
  if ((offline & isError) !== 0) return 'error'
  return (printer & isOffline) === 0 ? null : 'offline'
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0')
}
