import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { parseCommandLine } from '../../../electron/main/command-line.ts'

describe('parseCommandLine()', () => {
  it('reads options with = and with a space, and ignores other arguments', () => {
    const argv = [
      '.',
      '--data-dir=desk-data',
      '--lang',
      'nl',
      '--no-sandbox',
      '--provision=desk.json',
      '--server',
      'https://wms.example.com',
    ]
    expect(parseCommandLine(argv)).toEqual({
      dataDir: resolve('desk-data'),
      settings: { language: 'nl' },
      server: 'https://wms.example.com',
      provision: resolve('desk.json'),
      screenshot: null,
    })
  })

  it.each([
    ['HTTPS://WMS.Example.com/', 'https://wms.example.com'],
    ['wms.example.com/eu/', 'https://wms.example.com/eu'],
    ['not an address', 'not an address'],
  ])('reads the server %s in the form in which stations store it: %s', (typed, server) => {
    expect(parseCommandLine(['.', '--server', typed]).server).toBe(server)
  })

  it('omits options that are missing or have an unknown value', () => {
    expect(parseCommandLine(['.', '--lang=xx', '--data-dir'])).toEqual({
      dataDir: null,
      settings: {},
      server: null,
      provision: null,
      screenshot: null,
    })
  })
})
