import { expect, it } from 'vitest'
import { escposStatus } from '#printing/escpos-printer.ts'
import type { RawConnection } from '#printing/raw-connection.ts'

it('keeps nothing of what a printer sends without end, and still hears its answer', async () => {
  let hear: (bytes: Uint8Array) => void = () => undefined
  const flood = new Uint8Array(1_000_000).fill(0x12)
  const connection = {
    onBytes: (listener: (bytes: Uint8Array) => void) => void (hear = listener),
    write: () => {
      hear(flood)
      return Promise.resolve(null)
    },
    until: (arrange: (done: () => void) => void) => new Promise<void>((done) => arrange(done)),
  }
  const status = escposStatus(connection as unknown as RawConnection)
  // more than an array can grow to, were each byte kept
  for (let piece = 0; piece < 200; piece++) hear(flood)
  expect(await status.now(1_000)).toEqual({ cause: null, text: 'DLE EOT 12 12 12 12' })
})
