import { m } from '#messages/messages.js'
import type { DeskStatus, SessionView } from '#shared/bridge/views.ts'
import { type ErrorCode, failure } from '#shared/errors/catalogue.ts'
import { failureText } from '#place/failure-text.ts'
import { formatMoment } from '#ui/format.ts'

/**
 * The banner shown above the stage while the desk cannot send. At most one banner is shown, because two banners would
 * take too much space from the stage.
 */
export interface LineBanner {
  readonly kind: 'offline' | 'expired'
  /**
   * The problem that the banner shows. If the desk is offline, also the start time, the cause if it is known, for some
   * causes advice, and whether the login has expired too.
   */
  readonly title: string
  /**
   * While the desk is offline, the text names the work that is still possible; after the login has expired, the next
   * step. If writes wait, the text ends with their number.
   */
  readonly text: string
}

const causes: Partial<Record<ErrorCode, () => string>> = {
  'network.not_the_service': m.banner_not_the_service,
  'network.certificate': m.banner_certificate,
  'network.timeout': m.banner_timeout,
  'api.unavailable': m.banner_unavailable,
  'api.too_many_requests': m.banner_unavailable,
  'api.malformed_answer': m.banner_malformed,
}

/**
 * Returns the banner for this state of the desk, or null. An expired login has a banner of its own only while the desk
 * is not offline, because a login needs the connection. While the desk is offline, the banner about the connection also
 * mentions the expired login.
 */
export function lineBanner(
  status: DeskStatus | null,
  session: SessionView,
  nowMs: number,
): LineBanner | null {
  const expired = session.state === 'expired'
  if (status?.line.state === 'offline') {
    const { since, failure: why } = status.line
    const cause = why && (causes[why.code] ?? m.banner_no_connection)
    const offline = m.banner_offline({ time: formatMoment(since, nowMs) })
    const titles = [cause ? `${offline}: ${cause()}` : `${offline}.`, expired ? m.banner_login_too() : '']
    const texts = [worksText(status, nowMs), waitsText(status, nowMs)]
    return {
      kind: 'offline',
      title: titles.filter(Boolean).join(' '),
      text: texts.filter(Boolean).join(' '),
    }
  }
  if (!expired) return null
  const { happened, safe, next } = failureText(failure('session.expired'))
  const waits = status ? waitsText(status, nowMs) : ''
  return { kind: 'expired', title: happened, text: [safe, next, waits].filter(Boolean).join(' ') }
}

/**
 * While offline, look-ups use the stored parcels and the stored articles. The text shows the older of the two update
 * times. If one of them is unknown, the text shows no time.
 */
function worksText({ index, catalogue }: DeskStatus, nowMs: number): string {
  const known = [index.syncedAt, catalogue.asOf].filter((at) => at !== null)
  const oldest = known.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0]
  if (oldest === undefined || known.length < 2) return m.banner_works_bare()
  return m.banner_works({ time: formatMoment(oldest, nowMs) })
}

function waitsText({ unsent }: DeskStatus, nowMs: number): string {
  if (unsent.waiting === 0 || unsent.oldest === null) return ''
  return m.banner_waits({ count: unsent.waiting, time: formatMoment(unsent.oldest, nowMs) })
}
