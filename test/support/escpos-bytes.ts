import type { Bitmap } from '#labels/pixels/bitmap.ts'
import { escposJob } from '#printing/escpos-printer.ts'

/** Returns all bytes of a job for an ESC/POS printer. */
export async function escposBytes(labels: readonly Bitmap[]): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  for await (const piece of escposJob(labels)) pieces.push(piece)
  return Buffer.concat(pieces)
}
