import { describe, expect, it } from 'vitest'
import { type IppAddress, ippAddress, printerBehind } from '#printing/ipp-client.ts'

function at(uri: string): IppAddress {
  const address = ippAddress(uri)
  if (!address) throw new Error(uri)
  return address
}
const here = at('ipp://localhost/printers/label')
const server = at('ipp://print.example.com:8631/printers/label')

/** Returns whether the client would connect to the printer after it resolved the name. */
async function isAsked(queue: IppAddress, uri: string): Promise<boolean> {
  const device = printerBehind(queue, uri)
  if (!device?.lookup) return device !== null
  const { lookup, host } = device
  return new Promise((resolve) => {
    lookup(host, { all: true }, (error) => resolve(error === null))
  })
}

describe('the IPP client', () => {
  it.each([
    ...[
      'ipp://192.168.1.9/ipp/print',
      'ipp://10.0.0.9:631/',
      'ipps://172.16.0.1/',
      'ipps://172.31.255.1:443/',
    ],
    ...['ipp://169.254.7.7/ipp/print', 'ipp://[fe80::1]/ipp/print', 'ipp://[fd00::9]:631/ipp/print'],
    ...['ipp://print.example.com:8631/printers/other', 'ipp://print.example.com/ipp/print'],
  ])('connects to the printer address %s that a queue of another computer reports', async (uri) => {
    expect(await isAsked(server, uri)).toBe(true)
  })

  it.each([
    ...['ipp://192.168.1.9:9100/', 'ipp://10.0.0.9:80/', 'ipps://10.0.0.9:8443/', 'ipp://10.0.0.9:443/'],
    ...['ipp://8.8.8.8/ipp/print', 'ipp://172.32.0.1/', 'ipp://[2001:4860:4860::8888]/', 'ipp://100.64.0.1/'],
    ...['ipp://127.0.0.1/ipp/print', 'ipp://127.9.9.9:60000/', 'ipp://[::1]/', 'ipp://[::ffff:127.0.0.1]/'],
    ...['ipp://localhost/ipp/print', 'ipp://0x7f000001/', 'ipp://2130706433/', 'ipp://0.0.0.0/', 'ipp://0/'],
    ...['ipp://print.example.com:22/', 'ipp://print.example.com:60000/', 'ipp://sub.print.example.com:8631/'],
    ...['socket://192.168.1.9:9100', 'lpd://192.168.1.9/queue', 'usb://Zebra/ZD421', 'http://10.0.0.9:631/'],
    ...['ipp://sam:secret@10.0.0.9/', '', 'ipp://', '///dev/null'],
  ])('does not connect to the printer address "%s" that a queue of another computer reports', async (uri) => {
    expect(await isAsked(server, uri)).toBe(false)
  })

  it.each([
    ...['ipp://localhost/ipp/print', 'ipp://127.0.0.1:60000/ipp/print', 'ipp://localhost:60001/ipp/print'],
    ...['ipp://localhost/printers/label', 'ipp://192.168.1.9/ipp/print'],
  ])('connects to the printer address %s that a queue of this computer reports', async (uri) => {
    expect(await isAsked(here, uri)).toBe(true)
  })

  it.each([
    ...['ipp://localhost:8080/admin/delete', 'ipp://127.0.0.1:59999/', 'ipps://127.0.0.1:5432/'],
    ...['ipp://8.8.8.8/ipp/print', 'ipp://192.168.1.9:60000/'],
  ])('does not connect to the printer address "%s" that a queue of this computer reports', async (uri) => {
    expect(await isAsked(here, uri)).toBe(false)
  })

  it('fails with the code not_followed if the host name of a printer has no allowed address', async () => {
    const device = printerBehind(server, 'ipp://localhost/ipp/print')
    const code = await new Promise((resolve) => {
      device?.lookup?.('localhost', { all: true }, (error) => resolve(error?.code))
    })
    expect(code).toBe('not_followed')
  })
})
