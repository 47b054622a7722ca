import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type DeviceSystem, findPrinterDevice, findSerialPort } from '#kit/device-files.ts'

const isLinux = process.platform === 'linux' && existsSync('/dev/shm')
const drivers = [
  '/dev/tty             /dev/tty        5       0 system:/dev/tty',
  'usbserial            /dev/ttyUSB   188 0-511 serial',
  'serial               /dev/ttyS       4 64-95 serial',
  'pty_slave            /dev/pts      136 0-1048575 pty:slave',
  'unknown              /dev/tty        4 1-63 console',
].join('\n')
const linux: DeviceSystem = { platform: 'linux', terminals: () => drivers }
/**
 * Returns a Linux system with an additional line in its list of drivers. The tests use lines about /dev/null, whose
 * device numbers are 1 and 3.
 */
const odd = (line: string): DeviceSystem => ({ platform: 'linux', terminals: () => `${drivers}\n${line}` })

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(isLinux ? '/dev/shm' : '/tmp', 'scandesk-devices-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const link = (name: string, to: string): string => {
  symlinkSync(to, join(folder, name))
  return join(folder, name)
}

describe.skipIf(!isLinux)('findSerialPort() on Linux', () => {
  it('finds a serial port that a serial driver created, also through a link below /dev', () => {
    const serial = odd('invented /dev/null 1 0-5 serial')
    expect(findSerialPort('/dev/null', serial)).toBe('/dev/null')
    expect(findSerialPort(link('scanner', '/dev/null'), serial)).toBe('/dev/null')
    expect(findPrinterDevice('/dev/null', serial)).toBe('/dev/null')
  })

  it.each([
    'invented /dev/null 1 4-5 serial',
    'invented /dev/null 2 0-5 serial',
    'invented /dev/null 1 3 system',
    '',
  ])('returns null for /dev/null even if the list of drivers contains the line "%s"', (line) => {
    expect(findSerialPort('/dev/null', odd(line))).toBeNull()
    expect(findPrinterDevice('/dev/null', odd(line))).toBeNull()
  })

  it('recognises a serial port by its file name if the kernel’s list of drivers cannot be read', () => {
    const silent: DeviceSystem = { platform: 'linux', terminals: () => null }
    expect(findSerialPort('/dev/null', silent)).toBeNull()
    if (existsSync('/dev/ttyS0')) expect(findSerialPort('/dev/ttyS0', silent)).toBe('/dev/ttyS0')
  })

  it('returns null for every path that is not a serial port, whether the path exists or not', () => {
    writeFileSync(join(folder, 'file'), '')
    const paths = [
      ...[
        '/etc/shadow',
        '/nonexistent',
        '/proc/1/mem',
        '/',
        '',
        'ttyUSB0',
        './ttyUSB0',
        'COM3',
        '\\\\host\\share',
      ],
      ...[
        '/dev',
        '/dev/',
        '/dev/nonexistent',
        '/dev/console',
        '/dev/tty',
        '/dev/tty1',
        '/dev/ptmx',
        '/dev/null',
      ],
      ...['/dev/stdin', '/dev/fd/0', '/dev/fd/1', '/dev/../etc/shadow', '/dev/shm/../null', '/dev/mem'],
      ...[
        join(folder, 'file'),
        folder,
        link('out', '/etc/shadow'),
        link('dangling', '/dev/none'),
        link('null', '/dev/null'),
      ],
      '/dev/null\0',
    ]
    for (const path of paths) {
      expect(findSerialPort(path, linux), path).toBeNull()
      expect(findPrinterDevice(path, linux), path).toBeNull()
    }
  })
})

describe('findSerialPort() on Windows and macOS', () => {
  it.each(['COM1', 'COM3', 'com12', 'COM256'])('finds %s on Windows', (path) => {
    expect(findSerialPort(path, { platform: 'win32', terminals: () => null })).toBe(path)
  })

  it.each([
    ...[
      'UNC\\host\\share\\x',
      'COM3\\x',
      '\\\\.\\COM3',
      'COM',
      'COM3:',
      'PhysicalDrive0',
      'pipe\\x',
      'COM1234',
      ' COM3',
    ],
    ...['/dev/ttyUSB0', 'C:\\COM3', 'COM3\n'],
  ])('refuses %j on Windows', (path) => {
    expect(findSerialPort(path, { platform: 'win32', terminals: () => null })).toBeNull()
    expect(findPrinterDevice(path, { platform: 'win32', terminals: () => null })).toBeNull()
  })

  it('refuses, on macOS, /dev/null, /dev/tty and a serial port that does not exist', () => {
    for (const path of ['/dev/null', '/dev/tty', '/dev/cu.nothing'])
      expect(findSerialPort(path, { platform: 'darwin', terminals: () => null })).toBeNull()
  })
})
