import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { say } from './report.mjs'
import { root } from './run.mjs'

const file = join(root, 'out/.lock')
const pauseMs = 200
/**
 * Maximum age of a lock, in milliseconds. No install or build takes this long. If a lock is older, a running process
 * that has the process id in the lock is another program.
 */
const longestMs = 15 * 60_000

/**
 * Runs the work while no other launcher of this checkout installs or builds, because two launchers would write the same
 * files.
 */
export async function withBuildLock(work) {
  for (let isReported = false; !take(); isReported = true) {
    if (!isReported) say('Another start is installing or building here; waiting for it …')
    await pause(pauseMs)
  }
  try {
    return await work()
  } finally {
    rmSync(file, { force: true })
  }
}

/**
 * Takes the lock and returns true. If another launcher has the lock, returns false. If that launcher has ended without
 * removing its lock, or the lock is older than `longestMs`, also removes the lock, so that the next attempt succeeds.
 */
function take() {
  mkdirSync(dirname(file), { recursive: true })
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    return true
  } catch (error) {
    if (error.code !== 'EEXIST') throw error
    if (isAbandoned()) rmSync(file, { force: true })
    return false
  }
}

function isAbandoned() {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    return pid === process.pid || Date.now() - statSync(file).mtimeMs > longestMs || !isAlive(pid)
  } catch {
    return false // the lock was released after the attempt to take it
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}
