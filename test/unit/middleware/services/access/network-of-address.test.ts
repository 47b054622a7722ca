import { describe, expect, it } from 'vitest'
import { networkOf, siteOf } from '#middleware/services/access/network-of-address.ts'

describe('networkOf()', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::1', '0:0:0:0'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:DB8:1:2::9', '2001:db8:1:2'],
    ['2001:db8::2:3:4:5:6', '2001:db8:0:2'],
    ['1::', '1:0:0:0'],
    ['fe80::1%eth0', 'fe80:0:0:0'],
    ['', ''],
  ])('returns for %s the network %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe('siteOf()', () => {
  it.each([
    ['2001:db8:1:2', '2001:db8:1'],
    ['192.0.2.7', '192.0.2.7'],
    ['', ''],
  ])('returns for the network %s the site %s', (network, site) => {
    expect(siteOf(network)).toBe(site)
  })
})
