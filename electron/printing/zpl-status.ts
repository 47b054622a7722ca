import type { RawConnection } from './raw-sender.ts'

/** What a printer said of itself. */
export interface ZplReport {
  /** Why it does not print, or null. */
  readonly cause: 'paper_out' | 'cover_open' | 'ribbon_out' | 'too_hot' | 'error' | 'paused' | 'busy' | null
  /** Labels it has taken and not finished, as far as it counts them: formats not read yet and labels to come. */
  readonly waiting: number
  /** Half a format has come, of whomever. */
  readonly hasPart: boolean
  /** A label hangs in the peeler until somebody takes it. */
  readonly isOffered: boolean
  /** `~HS 030,0,… 000,0,…`: its first two lines, for the third holds its password. */
  readonly text: string
}

export interface ZplStatus {
  /** ~HS, answered at once; null where no answer that can be read comes in `timeoutMs`. */
  ask(timeoutMs: number): Promise<ZplReport | null>
}

const question = Buffer.from('~HS\r\n', 'latin1')
const linesOfAnswer = 3
/** Longer than any answer; what else a printer says is dropped. */
const mostKept = 4096

/**
 * Asks a printer about itself over a connection. Only the answer to the newest question counts: a late one to an
 * earlier question says nothing of what was sent since.
 */
export function zplStatus(connection: RawConnection): ZplStatus {
  let text = ''
  let asked = 0
  let answered = 0
  let lines: string[] = []
  let newest: ZplReport | null = null
  let wake: (() => void) | null = null
  connection.onBytes((bytes) => {
    text = (text + Buffer.from(bytes).toString('latin1')).slice(-mostKept)
    for (let line = /\x02([^\x02\x03]*)\x03/.exec(text); line; line = /\x02([^\x02\x03]*)\x03/.exec(text)) {
      text = text.slice(line.index + line[0].length)
      lines.push(line[1] ?? '')
      if (lines.length < linesOfAnswer) continue
      newest = parseHostStatus(lines)
      lines = []
      answered++
      wake?.()
    }
  })

  return {
    async ask(timeoutMs) {
      newest = null
      asked++
      if ((await connection.write(question, timeoutMs)) !== null) return null
      const why = await connection.until((done) => {
        wake = () => {
          if (answered === asked) done()
        }
        wake()
      }, timeoutMs)
      wake = null
      return why === null ? newest : null
    },
  }
}

/**
 * The three lines of an answer to ~HS, without their frames (ZPL II Programming Guide, ~HS), or null where they are
 * not what the guide says: a flag misread could make a printer without paper a ready one.
 */
export function parseHostStatus(lines: readonly string[]): ZplReport | null {
  const [first = [], second = [], third = []] = lines.map((line) =>
    line.split(',').map((field) => field.trim()),
  )
  if (lines.length !== linesOfAnswer || first.length < 12 || second.length < 11 || third.length < 2)
    return null
  // not among them: too cold, at which it prints all the same
  const ofFirst = [1, 2, 5, 6, 7, 9, 11].map((at) => flag(first[at]))
  const [paperOut, paused, full, diagnostic, part, lost, hot] = ofFirst
  const ofSecond = [2, 3, 4, 7].map((at) => flag(second[at]))
  const [headUp, ribbonOut, needsRibbon, offered] = ofSecond
  const [formats, remaining] = [count(first[4]), count(second[8])]
  if ([...ofFirst, ...ofSecond, formats, remaining].includes(null)) return null
  const cause = (): ZplReport['cause'] => {
    if (headUp) return 'cover_open'
    if (paperOut) return 'paper_out'
    if (ribbonOut && needsRibbon) return 'ribbon_out'
    // in diagnostic mode it prints what it is sent as text
    if (lost || diagnostic) return 'error'
    if (hot) return 'too_hot'
    if (paused) return 'paused'
    return full ? 'busy' : null
  }
  return {
    cause: cause(),
    waiting: (formats ?? 0) + (remaining ?? 0),
    hasPart: part === true,
    isOffered: offered === true,
    text: `~HS ${first.join(',')} ${second.join(',')}`,
  }
}

function flag(field: string | undefined): boolean | null {
  return field === '0' ? false : field === '1' ? true : null
}

function count(field: string | undefined): number | null {
  return field !== undefined && /^\d{1,8}$/.test(field) ? Number(field) : null
}
