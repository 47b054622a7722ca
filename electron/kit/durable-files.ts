import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { privateFile, privateFolder } from './private-files.ts'

/**
 * Writes a whole file or none, also across a power cut: temporary file beside it, fsync, rename, fsync of the folder. The
 * file is private to this account.
 * Rejects with the system's error (ENOSPC, ENOENT…); then nothing of it is left.
 */
export async function writeDurably(file: string, bytes: Uint8Array): Promise<void> {
  const temporary = `${file}.${randomUUID()}.tmp`
  try {
    const handle = await open(temporary, 'wx', privateFile)
    try {
      await handle.writeFile(bytes)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, file)
  } catch (error) {
    await unlink(temporary).catch(() => undefined)
    throw error
  }
  await syncFolderAsync(dirname(file))
}

async function syncFolderAsync(folder: string): Promise<void> {
  // Windows cannot open a folder as a file; there the rename is journalled by NTFS itself
  if (process.platform === 'win32') return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** As writeDurably, for a few bytes where nothing else may happen in between. Throws the system's error. */
export function writeNow(file: string, text: string): void {
  const temporary = `${file}.tmp`
  try {
    // the rest of a write that was cut short would keep its mode
    rmSync(temporary, { force: true })
    writeFileSync(temporary, text, { flush: true, mode: privateFile })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(file))
}

/** Makes the folder durably and private to this account, where it is not there. */
export function makeFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: privateFolder }) !== undefined) syncFolder(dirname(folder))
}

/** Makes names in a folder durable: files made, renamed or removed there. */
export function syncFolder(folder: string): void {
  // Windows cannot open a folder as a file; there the rename is journalled by NTFS itself
  if (process.platform === 'win32') return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
