import { describe, expect, it } from 'vitest'
import { addressFault, parseHosts } from '#shared/domain/station-fields.ts'

describe('addressFault()', () => {
  it.each([
    'https://wms.example.com',
    'wms.example.com',
    'wms.example.com:8443',
    ' HTTPS://WMS.example.com/ ',
    'https://wms.example.com/eu/returns',
    'https://10.0.0.7:8443',
    'https://[2001:db8::7]:8443/wms',
    'https://wms_1.example.com',
    'https://lager.müller.example',
    'http://localhost:4010',
    'http://127.0.0.1:4010/foo',
    'http://[::1]:4010',
  ])('accepts %s', (text) => {
    expect(addressFault(text)).toBeNull()
  })

  it.each([
    ['ftp://wms.example.com', 'other_scheme'],
    ['http://wms.example.com', 'insecure'],
    ['HTTP://10.0.0.7', 'insecure'],
    ['https://user:secret@wms.example.com', 'login_inside'],
    ['https://wms.example.com/?x=1', 'query'],
    ['https://wms.example.com#/docs', 'query'],
    ['', 'no_address'],
    ['https://', 'no_address'],
    ['https:/wms.example.com', 'no_address'],
    ['https://wms example.com', 'no_address'],
    ['https://wms.example.com/a b', 'no_address'],
    ['https://wms..example.com', 'no_address'],
    ['https://10.0.0.700', 'no_address'],
    ['https://10.0.7', 'no_address'],
    ['https://wms.example.com:0', 'no_address'],
    ['https://wms.example.com:65536', 'no_address'],
    ['https://wms.example.com:443a', 'no_address'],
    ['javascript:alert(1)', 'no_address'],
    ['embedded:', 'no_address'],
  ])('returns for %j the fault %s', (text, fault) => {
    expect(addressFault(text)).toBe(fault)
  })
})

describe('parseHosts()', () => {
  it('reads host names that are separated by commas, semicolons or spaces', () => {
    expect(parseHosts(' Labels.example.com, cdn.example.com;a.b ')).toEqual({
      ok: true,
      value: ['labels.example.com', 'cdn.example.com', 'a.b'],
    })
    expect(parseHosts('')).toEqual({ ok: true, value: [] })
  })

  it('keeps the port of a host, except for the standard port 443', () => {
    expect(parseHosts('a.example.com:8443 b.example.com:443')).toEqual({
      ok: true,
      value: ['a.example.com:8443', 'b.example.com'],
    })
  })

  it.each([
    'https://a.example.com',
    'localhost',
    'files.localhost',
    'localhost.localdomain',
    '10.0.0.1',
    '0x7f.1',
    '0177.0.0.0x1',
    'a.example.com:0',
    'a.example.com:65536',
    'a.example.com:',
    'a.example.com:1:2',
    '*.example.com',
    'a/b.c',
  ])('refuses %s', (text) => {
    expect(parseHosts(`ok.example.com ${text}`)).toMatchObject({
      ok: false,
      error: { code: 'station.invalid_host' },
    })
  })
})
