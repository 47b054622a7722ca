import { expect, it } from 'vitest'
import { causeOf } from '#serial/serial-scanner.ts'

// as serialport 13 words them, on Linux and macOS with the system's own words
it.each([
  ['Error: No such file or directory, cannot open /dev/ttyACM0', 'no_port'],
  ['Error: No such device or address, cannot open /dev/ttyUSB0', 'no_port'],
  ['Opening COM3: File not found', 'no_port'],
  ['Opening COM3: Access denied', 'held'],
  ['Error Resource temporarily unavailable Cannot lock port', 'held'],
  ['Error: Device or resource busy, cannot open /dev/ttyACM0', 'held'],
  ['Error: Permission denied, cannot open /dev/ttyACM0', 'denied'],
  ['Error: Inappropriate ioctl for device setting custom baud rate of 9600', 'not_a_port'],
  ['Error: Invalid argument setting custom baud rate of 12345', 'settings'],
  ['Opening COM3: Unknown error code 87', 'settings'],
  ['No native build was found for platform=linux arch=riscv64', 'no_driver'],
  ['Error: Input/output error, cannot open /dev/ttyACM0', 'fault'],
])('%s: %s', (message, cause) => {
  expect(causeOf(new Error(message))).toBe(cause)
})

it('takes whatever is thrown', () => {
  expect([causeOf('held'), causeOf(null)]).toEqual(['fault', 'fault'])
})
