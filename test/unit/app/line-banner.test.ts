import { describe, expect, it } from 'vitest'
import type { DeskStatus } from '#shared/bridge/views.ts'
import { type ErrorCode, failure } from '#shared/errors/catalogue.ts'
import { ago } from '#support/memory-desk/memory-core.ts'
import { sampleStatus, signedIn } from '#support/memory-desk/station.ts'
import { lineBanner } from '../../../src/app/line-banner.ts'

const now = Date.parse('2026-11-21T14:07:00')
const expired = { ...signedIn, state: 'expired' as const }

function offline(code: ErrorCode | null, change: Partial<DeskStatus> = {}): DeskStatus {
  const line = { state: 'offline' as const, since: ago(now, 5), failure: code && failure(code) }
  return { ...sampleStatus(now), line, ...change }
}

describe('the banner about a lost connection', () => {
  it('is hidden while the desk can send, and before the desk has tried to connect', () => {
    const status = sampleStatus(now)
    expect(lineBanner(status, signedIn, now)).toBeNull()
    expect(lineBanner(null, signedIn, now)).toBeNull()
    const untried = { ...status, line: { ...status.line, state: 'unknown' as const } }
    expect(lineBanner(untried, signedIn, now)).toBeNull()
  })

  it('shows the time of the loss, the update time of the data for look-ups, the number of waiting writes and the time of the oldest of them', () => {
    const index = { ...sampleStatus(now).index, syncedAt: ago(now, 47) }
    const unsent = { waiting: 3, asking: 0, oldest: ago(now, 4) }
    const banner = lineBanner(offline(null, { index, unsent }), signedIn, now)
    expect(banner?.title).toBe('Offline since 14:02.')
    expect(banner?.text).toBe(
      'Scanning, booking and labels go on; look-ups as of 13:20. 3 bookings or labels wait, the oldest since 14:03.',
    )
  })

  it.each([
    ['network.not_the_service', 'Log in to this network'],
    ['network.certificate', 'cannot prove who it is'],
    ['api.unavailable', 'out of order'],
    ['network.offline', 'no connection'],
    ['network.interrupted', 'no connection'],
  ] as const)('names the cause of the loss in its title for the failure %s', (code, words) => {
    expect(lineBanner(offline(code), signedIn, now)?.title).toContain(words)
  })

  it('shows no update time of the data for look-ups when the update time of the shipments is unknown', () => {
    const index = { ...sampleStatus(now).index, syncedAt: null }
    expect(lineBanner(offline(null, { index }), signedIn, now)?.text).toBe(
      'Scanning, booking and labels go on.',
    )
  })

  it('also says that the login has expired, and replaces the banner about the expired login', () => {
    expect(lineBanner(sampleStatus(now), expired, now)?.kind).toBe('expired')
    const both = lineBanner(offline('network.offline'), expired, now)
    expect(both?.kind).toBe('offline')
    expect(both?.title).toContain('login has ended too')
  })
})
