import { describe, expect, it } from 'vitest'
import { clientAddressBehind } from '#middleware/plugins/client-address.ts'

describe('the address of a client', () => {
  it.each([
    ['10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['10.0.0.1', '203.0.113.9, 10.0.0.1,192.0.2.1 ', '192.0.2.1'],
    ['10.0.0.1', '2001:db8:1::7', '2001:db8:1::7'],
    ['::ffff:10.0.0.1', '192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '192.0.2.1', '192.0.2.1'],
    ['10.0.0.1', '203.0.113.9:1, 192.0.2.1:4711', '192.0.2.1'],
    ['10.0.0.1', '[2001:db8:1::7]:4711', '2001:db8:1::7'],
    ['10.0.0.1', '[2001:db8:1::7]', '2001:db8:1::7'],
    ['10.0.0.1', '[::ffff:192.0.2.1]:65535', '::ffff:192.0.2.1'],
  ])('behind the proxy %s with X-Forwarded-For "%s" is %s', (ip, forwarded, address) => {
    const addressOf = clientAddressBehind(['10.0.0.1', '2001:DB8:0::1'])
    expect(addressOf({ ip, headers: { 'x-forwarded-for': forwarded } })).toBe(address)
  })

  it.each([
    ...[undefined, '', 'unknown', '192.0.2.1,', '192.0.2.1, unknown', '192.0.2.1; x'],
    ...['192.0.2.1:', '192.0.2.1:http', '192.0.2.999:1', '[2001:db8::1', '[unknown]:1', '[]:1', 'unknown:1'],
  ])('is that of the proxy if the last part of X-Forwarded-For is no address: %s', (forwarded) => {
    const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
    expect(clientAddressBehind(['10.0.0.1'])({ ip: '10.0.0.1', headers })).toBe('10.0.0.1')
  })

  it('is that of the connection if the connection does not come from a proxy', () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    for (const proxies of [[], ['10.0.0.1', '::1']])
      for (const ip of ['10.0.0.2', '::ffff:10.0.0.2', '127.0.0.1', '2001:db8::1'])
        expect(clientAddressBehind(proxies)({ ip, headers })).toBe(ip)
  })
})
