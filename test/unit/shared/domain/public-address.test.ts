import fc from 'fast-check'
import { BlockList } from 'node:net'
import { describe, expect, it } from 'vitest'
import {
  isClosedAddress,
  isDocumentAddress,
  isInternetHost,
  isPublicHost,
  isWebUrl,
} from '#shared/domain/public-address.ts'

describe('isPublicHost() for a host that is not public', () => {
  it.each([
    ['this machine', ['127.0.0.1', '127.255.255.254', '[::1]', '[::]', '0.0.0.0', '0.1.2.3']],
    [
      'names of this machine',
      ['localhost', 'LOCALHOST', 'localhost.', 'a.localhost', 'localhost.localdomain'],
    ],
    ['IPv4 in short notation', ['127.1', '127.0.1', '10.1', '192.168.257', '0']],
    ['IPv4 as one number', ['2130706433', '0x7f000001', '017700000001', '0xa9fea9fe', '0x']],
    ['IPv4 in octal and hexadecimal', ['0177.0.0.1', '0x7f.1', '0X7F.0.0.0x1', '0300.0250.1.1']],
    ['IPv4 with a dot at the end', ['127.0.0.1.', '10.0.0.1.']],
    ['private networks', ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', '100.64.0.1']],
    ['link-local networks and the metadata service', ['169.254.169.254', '[fe80::1]', '[fe80::1%25eth0]']],
    [
      'reserved networks',
      ['192.0.0.8', '192.88.99.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '[ff02::1]'],
    ],
    [
      'networks for documentation and benchmarks',
      ['192.0.2.1', '198.51.100.7', '203.0.113.9', '198.18.0.1', '198.19.255.255'],
    ],
    ['IPv6 networks for documentation', ['[2001:db8::1]', '[3fff::1]', '[100::1]']],
    ['local IPv6', ['[fc00::1]', '[fd12:3456::1]', '[fec0::1]']],
    ['IPv4 in IPv6, mapped', ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::FFFF:a9fe:a9fe]']],
    [
      'IPv4 in IPv6, in other notations',
      ['[::127.0.0.1]', '[::ffff:0:127.0.0.1]', '[2002:7f00:1::]', '[::8.8.8.8]'],
    ],
    ['NAT64', ['[64:ff9b::7f00:1]', '[64:ff9b::8.8.8.8]', '[64:ff9b:1::1]', '[64:ff9b:1:2:3:4:7f00:1]']],
    ['Teredo', ['[2001::1]', '[2001:0:7f00:1::]']],
    [
      'texts that are neither an address nor a name',
      ['', '.', '256.1.1.1', '1.2.3.4.5', '0x100000000', '[::1', '[1:2]', '[:::]', '09'],
    ],
  ])('returns false for %s: %j', (_, hosts) => {
    for (const host of hosts) expect(isPublicHost(host), host).toBe(false)
  })
})

describe('isInternetHost()', () => {
  it.each([
    ['without a dot', ['x1', 'intranet', 'intranet.', 'ip6-loopback', 'xn--p1ai']],
    ['with an empty part', ['localhost..', 'shop.example.org..', 'a..example.org', '.example.org', '']],
    [
      'of this machine',
      ['localhost', 'a.localhost', 'localhost.localdomain', '127.0.0.1', '[::1]', '0x7f.1'],
    ],
    ['of a local network', ['nas.local', 'nas.LAN', 'nas.lan.', 'router.home.arpa', 'home.arpa', '10.0.0.1']],
    [
      'of a private network',
      [
        'metadata.google.internal',
        'kubernetes.default.svc',
        'kubernetes.default.svc.cluster',
        'kubernetes.default.svc.cluster.local',
        'wms.cluster',
        'wms.corp',
        'wms.intranet',
        'wms.private',
        'a.home',
      ],
    ],
  ])('returns false for a host %s: %j', (_, hosts) => {
    for (const host of hosts) expect(isInternetHost(host), host).toBe(false)
  })

  it('returns true for a public address and for a name in a public top-level domain', () => {
    const hosts = [
      ...['shop.example.org', 'shop.example.org.', 'local.example.org', 'lan.example', 'mylocal.example'],
      ...['home.arpa.example', 'xlan.xn--p1ai', '8.8.8.8', '134744072', '[2606:4700::1111]'],
    ]
    for (const host of hosts) expect(isInternetHost(host), host).toBe(true)
  })
})

describe('the check whether a host is public', () => {
  it.each([
    [
      'names',
      ['shop.example.org', 'shop.example.org.', 'a.localhost.example.org', '1.example', 'x1', 'xn--p1ai'],
    ],
    ['IPv4', ['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '192.0.3.1', '100.128.0.1', '134744072']],
    [
      'IPv6',
      ['[2606:4700::1111]', '[2a00:1450:4001:800::200e]', '[2001:4860:4860::8888]', '[::ffff:8.8.8.8]'],
    ],
  ])('returns true for %s: %j', (_, hosts) => {
    for (const host of hosts) expect(isPublicHost(host), host).toBe(true)
  })

  it('classifies any IPv4 address, in four notations, as a BlockList of Node.js does', () => {
    const closed = new BlockList()
    for (const [network, bits] of [
      ['0.0.0.0', 8],
      ['10.0.0.0', 8],
      ['100.64.0.0', 10],
      ['127.0.0.0', 8],
      ['169.254.0.0', 16],
      ['172.16.0.0', 12],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['192.168.0.0', 16],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 3],
    ] as const)
      closed.addSubnet(network, bits, 'ipv4')
    const near = fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 223, 224)
    const byte = fc.integer({ min: 0, max: 255 })
    fc.assert(
      fc.property(fc.oneof(near, byte), byte, byte, byte, (a, b, c, d) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d
        const dotted = `${a}.${b}.${c}.${d}`
        for (const spelling of [dotted, String(number), `0x${number.toString(16)}`, `::ffff:${dotted}`])
          expect(isClosedAddress(spelling), spelling).toBe(closed.check(dotted))
      }),
    )
  })
})

describe('isDocumentAddress()', () => {
  it.each([
    ['public addresses', ['8.8.8.8', '2a00:1450::99', '::ffff:8.8.8.8']],
    ['private networks', ['10.1.2.3', '172.16.0.1', '172.31.255.255', '192.168.1.1', '::ffff:10.1.2.3']],
    ['shared networks', ['100.64.0.1', '100.127.255.255']],
    ['unique local addresses', ['fc00::1', 'fd12:3456::1']],
    ['NAT64', ['64:ff9b::8.8.8.8', '64:ff9b::808:808', '64:ff9b::10.1.2.3']],
  ])('returns true for %s: %j', (_, addresses) => {
    for (const address of addresses) expect(isDocumentAddress(address), address).toBe(true)
  })

  it.each([
    ['this machine', ['127.0.0.1', '127.9.9.9', '0.0.0.0', '0.1.2.3', '::1', '::', '::ffff:127.0.0.1']],
    ['link-local addresses', ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', '::ffff:169.254.169.254']],
    ['multicast and broadcast', ['224.0.0.1', '239.255.255.250', '255.255.255.255', 'ff02::1', 'ff05::1']],
    ['reserved networks', ['192.0.0.8', '198.18.0.1', '203.0.113.9', '240.0.0.1', '2001:db8::1', 'fec0::1']],
    ['NAT64 of such addresses', ['64:ff9b::7f00:1', '64:ff9b::169.254.169.254', '64:ff9b::']],
    [
      'other notations of an IPv4 address',
      ['::10.1.2.3', '::ffff:0:10.1.2.3', '2002:a01:203::', '64:ff9b:1::1'],
    ],
    ['texts that are no address', ['10.1.2.3.4', '1:2', '256.1.1.1']],
  ])('returns false for %s: %j', (_, addresses) => {
    for (const address of addresses) expect(isDocumentAddress(address), address).toBe(false)
  })
})

describe('isWebUrl()', () => {
  it.each([
    'https://t.example/T',
    'HTTP://t.example:8080/a?b=c#d',
    'https://10.0.0.1/',
    'https://bücher.example/ü',
  ])('accepts %s', (url) => {
    expect(isWebUrl(url)).toBe(true)
  })

  it.each([
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    ' https://t.example/',
    'https://t.example/a b',
    'https://t.example/\u0000',
    'data:text/html,x',
    'file:///etc/passwd',
    'ftp://t.example/',
    '//t.example/',
    't.example',
    'https://',
    'https://[::1',
    'https://t.example@evil.example/',
    'https:/\\t.example/',
    '',
  ])('refuses %j', (url) => {
    expect(isWebUrl(url)).toBe(false)
  })
})
