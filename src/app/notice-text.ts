import { m } from '#messages/messages.js'
import { type Command, digitOf } from '#shared/domain/commands.ts'
import { reprintReasonOf } from '#shared/domain/reprint-commands.ts'
import { commandWords } from '#ui/command-words.ts'
import { failureText } from '#ui/failure-text.ts'
import type { Outcome } from '#ui/outcome.ts'
import type { Notice } from './notices.svelte.ts'

/** Where a command works, to stand behind "It works". */
function whereOf(command: Command): string {
  const queue = m.command_queue()
  const prints = m.command_prints()
  const booking = m.where_booking({ book: m.command_book() })
  if (digitOf(command) !== null) return m.where_digit({ book: m.command_book() })
  if (reprintReasonOf(command) !== null) return m.where_reason()
  switch (command) {
    case 'PRIMARY':
      return m.where_primary()
    case 'METHOD':
    case 'ADDRESS':
      return m.where_card()
    case 'REPRINT':
    case 'CANCEL':
      return m.where_label()
    case 'PRINTNOW':
      return m.where_print()
    case 'MAKEONLY':
      return m.where_form()
    case 'NEXT':
      return m.where_list({ queue, prints })
    case 'LOST':
    case 'DEFECTIVE':
    case 'CORRECTION':
    case 'PLUS':
    case 'MINUS':
    case 'UNDO':
    case 'CLEAR':
    case 'ENTER':
      return booking
    case 'ADOPT':
    case 'RESEND':
    case 'LATER':
      return m.where_queue({ queue })
    case 'YES':
    case 'NO':
      return m.where_paper({ prints })
    default:
      return m.where_inside()
  }
}

/** One sentence, in the operator's language. */
export function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case 'not_here':
      return m.notice_not_here({ command: commandWords[notice.command](), where: whereOf(notice.command) })
    case 'choices':
      return m.notice_choices({ count: notice.count })
    case 'picture':
      return m.notice_picture({ command: commandWords[notice.command]() })
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
