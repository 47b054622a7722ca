import { linkSync, readFileSync, renameSync, rmSync, watch, writeFileSync, type FSWatcher } from 'node:fs'
import { join } from 'node:path'
import { decodeList, encode } from './page/codec.ts'

/** The message that a second start sends to the first instance. */
export interface SecondInstance {
  argv: unknown
  workingDirectory: unknown
  additionalData: unknown
}

const letters = 'standin-second-'
let held: { lockFile: string; watcher: FSWatcher } | undefined

/** Returns the identity of a process: its id and start time, because ids are reused. */
function processIdentity(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The file `stat` contains the name of the program in parentheses, which may contain spaces. The start time of the
    // process is the 20th field after this name.
    return `${pid} ${stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''}`
  } catch {
    return undefined
  }
}

/** Creates the lock unless a running process has it. Removes the lock of a process that has ended. */
function takeLock(lockFile: string): boolean {
  const draft = `${lockFile}.${process.pid}`
  writeFileSync(draft, processIdentity(process.pid) ?? String(process.pid))
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      try {
        linkSync(draft, lockFile)
        return true
      } catch {
        const holder = readFileSync(lockFile, 'utf8')
        if (holder === processIdentity(Number(holder.split(' ')[0]))) return false
        rmSync(lockFile, { force: true })
      }
    }
    return false
  } finally {
    rmSync(draft, { force: true })
  }
}

/**
 * Implements app.requestSingleInstanceLock for one user data folder. It is synchronous, so the second start writes its
 * message to a file, and the first instance watches for this file. @returns false if another running process has the
 * lock. That process receives `message`.
 */
export function requestLock(
  dir: string,
  message: SecondInstance,
  onSecond: (second: SecondInstance) => void,
): boolean {
  if (held) return true
  const lockFile = join(dir, 'standin.lock')
  if (!takeLock(lockFile)) {
    const letter = join(dir, `${letters}${process.pid}`)
    writeFileSync(`${letter}.part`, encode([message.argv, message.workingDirectory, message.additionalData]))
    renameSync(`${letter}.part`, `${letter}.json`)
    return false
  }
  const watcher = watch(dir, { persistent: false }, (_change, name) => {
    if (name?.startsWith(letters) !== true || !name.endsWith('.json')) return
    let text: string
    try {
      text = readFileSync(join(dir, name), 'utf8')
    } catch {
      return // the watcher also reports the removal of a message file
    }
    rmSync(join(dir, name), { force: true })
    const [argv, workingDirectory, additionalData] = decodeList(text)
    onSecond({ argv, workingDirectory, additionalData })
  })
  held = { lockFile, watcher }
  return true
}

export function hasLock(): boolean {
  return held !== undefined
}

export function releaseLock(): void {
  held?.watcher.close()
  if (held) rmSync(held.lockFile, { force: true })
  held = undefined
}
