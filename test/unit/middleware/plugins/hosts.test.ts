import type { IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { hostRule } from '#middleware/plugins/hosts.ts'

/** Whether a request with this Host header is served on a connection to this address of the machine. */
function isServed(host: string, localAddress: string | undefined): boolean {
  const raw = { url: '/', rawHeaders: ['Host', host], socket: { localAddress } } as IncomingMessage
  return hostRule(['0.0.0.0', 'wms'])({ raw }) === null
}

describe('the address to which a client has connected', () => {
  it.each([
    ['192.168.1.10:8333', '192.168.1.10'],
    ['192.168.1.10', '::ffff:192.168.1.10'],
    ['[fd00::10]:8333', 'fd00::10'],
    ['[FD00::10]', 'fd00::10'],
    ['[fe80::10]', 'fe80::10%eth0'],
  ])('is served although the machine got it after the start: %s', (host, address) => {
    expect(isServed(host, address)).toBe(true)
  })

  it.each([
    ['evil.example:8333', '192.168.1.10'],
    ['192.168.1.10.evil.example', '192.168.1.10'],
    ['192.168.1.11', '192.168.1.10'],
    ['[::ffff:192.168.1.10]', '::ffff:192.168.1.10'],
    ['192.168.1.10', undefined],
    ['undefined', undefined],
    ['', undefined],
  ])('is the only further host: a name or another address is refused: %j', (host, address) => {
    expect(isServed(host, address)).toBe(false)
  })
})
