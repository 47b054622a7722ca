import { closeSync, fdatasyncSync, openSync, readdirSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'

const warmUp = 25

export interface BesideRawWrites {
  readonly own: readonly number[]
  /** Milliseconds of each raw write with fdatasync. One raw write follows each measured action. */
  readonly raw: readonly number[]
  /**
   * Number of bytes of each raw write: the average number of bytes by which the files in `folder` grow per action of
   * the warm-up. A raw write is a plain write to a file, with which the measured action is compared.
   */
  readonly bytes: number
}

/**
 * Measures the milliseconds of each action, and of raw writes into a file of `folder`. The size of a raw write is the
 * average number of bytes that an action writes. Actions and raw writes alternate. A raw write returns when its bytes
 * are on the disk.
 */
export async function besideRawWrites(
  folder: string,
  count: number,
  act: (turn: number) => void | Promise<void>,
): Promise<BesideRawWrites> {
  const before = bytesIn(folder)
  for (let turn = -warmUp; turn < 0; turn++) await act(turn)
  const bytes = Math.max(1, Math.round((bytesIn(folder) - before) / warmUp))
  const content = Buffer.alloc(bytes, 7)
  const file = openSync(join(folder, 'raw.bin'), 'a')
  const own: number[] = []
  const raw: number[] = []
  for (let turn = 0; turn < count; turn++) {
    const startedAt = performance.now()
    await act(turn)
    const actedAt = performance.now()
    writeSync(file, content)
    fdatasyncSync(file)
    raw.push(performance.now() - actedAt)
    own.push(actedAt - startedAt)
  }
  closeSync(file)
  return { own, raw, bytes }
}

function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
    .reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}
