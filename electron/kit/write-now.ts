import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { privateFile, privateFolder } from './private-files.ts'

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

/** Makes the folder durably and private to this account, where it is not there. */
export function makeFolder(folder: string): void {
  if (mkdirSync(folder, { recursive: true, mode: privateFolder }) !== undefined) syncFolder(dirname(folder))
}

/** As writeDurably, for a few bytes where nothing else may happen in between. Throws the system's error. */
export function writeNow(file: string, text: string): void {
  const temporary = `${file}.tmp`
  try {
    // a rest of an earlier version would keep its mode
    rmSync(temporary, { force: true })
    writeFileSync(temporary, text, { flush: true, mode: privateFile })
    renameSync(temporary, file)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error
  }
  syncFolder(dirname(file))
}
