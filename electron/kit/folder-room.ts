import { access, constants, mkdir, statfs } from 'node:fs/promises'
import { type SpaceLimits, standardSpace } from './disk-space.ts'
import { privateFolder } from './private-files.ts'

/**
 * Limits of a folder that may be on a network share, whose free space is therefore read without blocking the process.
 */
export interface FolderSpace extends Omit<SpaceLimits, 'freeBytes'> {
  readonly freeBytes: (folder: string) => number | Promise<number>
}

/** The limits that the product uses for a folder that may be on a network share. */
export const folderSpace: FolderSpace = {
  ...standardSpace,
  async freeBytes(folder) {
    const { bavail, bsize } = await statfs(folder)
    return bavail * bsize
  },
}

/** Maximum time in milliseconds that a caller waits for a folder. */
const waitMs = 5_000

/**
 * The pending checks by folder; each resolves to the free bytes. A check of a share that does not respond occupies one
 * of the few threads of Node until the share responds, so all callers share one check.
 */
const checks = new Map<string, Promise<number>>()

/**
 * Creates a folder that may be on a network share, private to this account, and checks that it can be written. Rejects
 * with the system's error, with ENOSPC if its disk has fewer free bytes than `bytes` plus `space.leastFree`, or with
 * ETIMEDOUT if it has not responded within five seconds.
 */
export async function makeRoom(folder: string, bytes: number, space: FolderSpace): Promise<void> {
  const free = await inTime(checks.get(folder) ?? beginCheck(folder, space))
  if (space.leastFree + bytes > free) throw systemError('ENOSPC', 'the disk has no room')
}

function beginCheck(folder: string, space: FolderSpace): Promise<number> {
  const check = checkFolder(folder, space).finally(() => checks.delete(folder))
  checks.set(folder, check)
  return check
}

async function checkFolder(folder: string, { freeBytes }: FolderSpace): Promise<number> {
  await mkdir(folder, { recursive: true, mode: privateFolder })
  await access(folder, constants.W_OK)
  return freeBytes(folder)
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(systemError('ETIMEDOUT', 'the folder does not respond')), waitMs)
  try {
    return await Promise.race([work, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

function systemError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code })
}
