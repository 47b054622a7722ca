import { randomUUID } from 'node:crypto'
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { open, rename, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import { privateFile, privateFolder } from './private-files.ts'

/**
 * Whether folders can be synced. Windows cannot open a folder as a file; on Windows the file system NTFS journals a
 * rename.
 */
function canSyncFolders(): boolean {
  return process.platform !== 'win32'
}

/**
 * Writes a file completely or not at all, even if the power fails: writes a temporary file beside it, syncs it, renames
 * it and syncs the folder. The file is private to this account. On an error it leaves no temporary file and rejects
 * with the system's error (ENOSPC, ENOENT…).
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
  if (!canSyncFolders()) return
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The same as `writeDurably`, but synchronous and for a few bytes. Throws the system's error. */
export function writeNow(file: string, text: string): void {
  const temporary = `${file}.tmp`
  try {
    // removes an old temporary file first, because this file, left by an interrupted write, would keep its mode
    rmSync(temporary, { force: true })
    writeFileSync(temporary, text, { flush: true, mode: privateFile })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(file))
}

/** Creates a folder that is private to this account, if it does not exist. Its creation is synced. */
export function makeFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: privateFolder }) !== undefined) syncFolder(dirname(folder))
}

/** Syncs a folder, so that created, renamed and removed files in it survive a power failure. */
export function syncFolder(folder: string): void {
  if (!canSyncFolders()) return
  const descriptor = openSync(folder, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
