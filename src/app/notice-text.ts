import { m } from '#messages/messages.js'
import { commandWords, whereCommandWorks } from '#place/command-words.ts'
import { failureText } from '#ui/failure-text.ts'
import type { Outcome } from '#ui/outcome.ts'
import type { Notice } from './notices.svelte.ts'

/** One sentence, in the operator's language. */
export function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case 'not_here':
      return m.notice_not_here({
        command: commandWords(notice.command),
        where: whereCommandWorks(notice.command),
      })
    case 'choices':
      return m.notice_choices({ count: notice.count })
    case 'picture':
      return m.notice_picture({ command: commandWords(notice.command) })
    case 'setup':
      return m.notice_setup()
    case 'unreadable':
      return m.notice_unreadable()
    case 'burst':
      return m.notice_burst()
    case 'foreign':
      return m.notice_foreign()
    case 'unknown':
      if (notice.name === 'VIA') return m.notice_method_unknown()
      return notice.name === 'ONTO' ? m.notice_printer_unknown() : m.notice_station_unknown()
    case 'method_where':
      return m.notice_method_where({ method: notice.method })
    case 'printer_where':
      return m.notice_printer_where({ printer: notice.printer })
    case 'printer_ask':
      return m.notice_printer_ask({ printer: notice.printer })
    case 'printer_now':
      return m.notice_printer_now({ printer: notice.printer })
    case 'printer_is':
      return m.notice_printer_is({ printer: notice.printer })
    case 'station_is':
      return m.notice_station_is({ station: notice.station })
    case 'failed': {
      const { happened, next } = failureText(notice.failure)
      return `${happened} ${next}`
    }
  }
}

/** How it looks, which is also how it sounds. */
export function noticeOutcome({ kind }: Notice): Exclude<Outcome, 'none'> {
  if (kind === 'printer_ask') return 'decide'
  if (kind === 'printer_now') return 'done'
  return kind === 'failed' ? 'stop' : 'look'
}
